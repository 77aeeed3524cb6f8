/* How far the light of Prime reaches: docs/formats/mrea.md, "Falloff of spot and custom lights". */
#include "formats/mrea/mrea.h"

#include <math.h>

double mrea_reach(const ll_doc *doc, uint32_t span, uint32_t element)
{
    enum { FALLOFF, BRIGHTNESS, COLOR, FIELDS };
    static const uint16_t fields[][FIELDS] = {
        {mrea_light_falloff_type, mrea_light_brightness, mrea_light_color},
        {mrea_light_mp3_falloff_type, mrea_light_mp3_brightness, mrea_light_mp3_color}};
    ll_element light;
    if (!ll_element_at(doc, span, element, &light)) {
        return 0;
    }
    const uint16_t *field = fields[ll_doc_span(doc, span)->layout == mrea_light_mp3_LAYOUT];
    uint64_t falloff = ll_get_uint(&light, field[FALLOFF]);
    double brightest = ll_get_number(&light, field[COLOR], 0);
    for (unsigned i = 1; i < 3; i++) {
        double one = ll_get_number(&light, field[COLOR], i);
        brightest = one > brightest ? one : brightest;
    }
    double power = brightest * ll_get_number(&light, field[BRIGHTNESS], 0);
    return falloff == 1 ? power / 14.705882 : falloff == 2 ? sqrt(power > 0 ? power / 1470.5882 : 0) : 0;
}
