/* How far the light of Prime reaches: docs/formats/mrea.md, "Falloff of spot and custom lights". */
#include "formats/mrea/mrea.h"

#include <math.h>

double mrea_reach(const ll_doc *doc, uint32_t span, uint32_t element)
{
    enum { FALLOFF, BRIGHTNESS, COLOR, FIELDS };
    static const uint16_t fields[][FIELDS] = {
        {mrea_light_falloff_type, mrea_light_brightness, mrea_light_color},
        {mrea_light_mp3_falloff_type, mrea_light_mp3_brightness, mrea_light_mp3_color}};
    const uint16_t *field = fields[ll_doc_span(doc, span)->layout == mrea_light_mp3_LAYOUT];
    uint64_t falloff = ll_get_uint(doc, span, element, field[FALLOFF]);
    double brightest = ll_get_number(doc, span, element, field[COLOR], 0);
    for (unsigned i = 1; i < 3; i++) {
        double one = ll_get_number(doc, span, element, field[COLOR], i);
        brightest = one > brightest ? one : brightest;
    }
    double light = brightest * ll_get_number(doc, span, element, field[BRIGHTNESS], 0);
    return falloff == 1 ? light / 14.705882 : falloff == 2 ? sqrt(light > 0 ? light / 1470.5882 : 0) : 0;
}
