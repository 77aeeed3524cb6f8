/* Writes SARIF 2.1.0 in two profiles. `sarif` follows the standard: binary regions only (3.30.1), results in the order
 * of files, marked findings with their suppression. `sarif-github` serves GitHub code scanning: a line and column in
 * every region, one result per rule and field of a file, most severe first, at most RESULTS_MAX and RESULTS_BITS, and
 * no marked findings, for which code scanning would open alerts. In both, the rules with results and the list of files
 * follow the results.
 *
 * Results and files are streamed; rules and the invocation, written once a run, are built as cJSON trees. */
#include "output/emit/sarif_pieces.h"

#include "base/map.h"

enum { RESULTS_MAX = 5000 };
/* GitHub refuses files above 10 MB after gzip. The packed size of results and artifacts is estimated, slightly too
 * high: ASCII that does not occur in the last WINDOW bytes takes 7 bits per byte, a repetition as many as most codes of
 * deflate. */
enum {
    RESULTS_BITS = 7000000 * 8,
    ARTIFACTS_BITS = 2000000 * 8,
    WINDOW = 1 << 15,
    REPEATED_MIN = 8,
    REPEATED_MAX = 258,
    REPEATED_BITS = 40,
    ASCII_BITS = 7,
    OTHER_BITS = 9,
    RECENT_BITS = 12,
    ARTIFACT_MIN = 40 /* bytes of an artifact besides its name */
};
#define NO_ARTIFACT UINT64_MAX
enum { LEVELS = LL_ERROR + 1 };
enum { DEPTHS = 3 }; /* file, member, decompressed region */

typedef struct kept_result {
    size_t length;
    uint64_t bits; /* estimated size after packing */
} kept_result;

typedef struct level_results { /* sarif-github: results of one severity, each preceded by a comma */
    ll_text text;
    LL_ARRAY(kept_result) kept;
    uint32_t recent[1 << RECENT_BITS]; /* by hash: 1 + offset where such bytes begin in the text; 0: none */
} level_results;

typedef struct reported_rule { /* a rule that has a result */
    const ll_rule *rule;       /* of the rule set that reported it first */
    uint8_t severity;          /* in force there */
    unsigned forms;            /* bit set of ll_message_form */
} reported_rule;

typedef struct run {
    LL_ARRAY(reported_rule) rules; /* in the order of their first results */
    LL_ARRAY(ll_artifact) artifacts;
    ll_text names;    /* of the artifacts */
    ll_artifact file; /* the last one of depth 0 */
    ll_text file_name;
    level_results levels[LEVELS];
    size_t kept;
    uint64_t bits, artifact_bits; /* estimated packed size of what is kept */
} run;

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    const ll_allocator *a = &emitter->allocator;
    for (size_t i = 0; i < LEVELS; i++) {
        ll_text_free(&r->levels[i].text);
        LL_ARRAY_FREE(&r->levels[i].kept, a);
    }
    ll_text_free(&r->names);
    ll_text_free(&r->file_name);
    LL_ARRAY_FREE(&r->artifacts, a);
    LL_ARRAY_FREE(&r->rules, a);
}

static void open_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_text_init(&r->names, &emitter->allocator);
    ll_text_init(&r->file_name, &emitter->allocator);
    for (size_t i = 0; i < LEVELS; i++) {
        ll_text_init(&r->levels[i].text, &emitter->allocator);
    }
}

/* ------------------------------------------------------------------ chunks */

static ll_status note_artifact(ll_chunk *chunk, const char *name, ll_artifact artifact)
{
    ll_artifact *kept = LL_ARRAY_ADD(&chunk->artifacts, &chunk->allocator);
    if (!kept) {
        return LL_E_MEMORY;
    }
    artifact.name = chunk->names.length;
    *kept = artifact;
    ll_text_put(&chunk->names, name, strlen(name) + 1);
    return LL_OK;
}

static bool is_shown(const ll_emitter *emitter, const ll_entry *entry)
{
    return !entry->mark || !ll_sarif_is_github(emitter);
}

static bool shows_any(const ll_emitter *emitter, const ll_report *report)
{
    uint32_t i = 0;
    while (i < report->entries.count && !is_shown(emitter, &report->entries.items[i])) {
        i++;
    }
    return i < report->entries.count;
}

/* Notes the file and, if results refer to them, the member and its decompressed regions. */
static ll_status note_artifacts(const ll_report *report, bool any, ll_chunk *chunk)
{
    const ll_doc *doc = &report->doc;
    uint8_t depth = report->file.member ? 1 : 0;
    ll_artifact file = {.size = report->file.size,
                        .offset = ll_report_start(report),
                        .depth = depth,
                        .is_text = report->file.is_text,
                        .has_results = any};
    ll_status status =
        any || !depth ? note_artifact(chunk, depth ? report->file.member : ll_report_name(report), file) : LL_OK;
    for (uint32_t i = 1; i < doc->region_count && any && status == LL_OK; i++) {
        const ll_region *region = &doc->regions[i];
        ll_artifact nested = {.size = region->size,
                              .offset = region->outer_offset - ll_report_start(report),
                              .depth = (uint8_t)(depth + 1)};
        status = note_artifact(chunk, region->name, nested);
    }
    return status;
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_fold fold = {NULL, NULL};
    bool any = shows_any(emitter, report);
    ll_status status = any ? ll_report_identify(report) : LL_OK;
    if (any) {
        ll_text_clear(&chunk->scratch);
        ll_sarif_location(&(ll_jsonw){&chunk->scratch, false}, ll_report_file(report));
    }
    if (status == LL_OK && ll_sarif_is_github(emitter) && any) {
        status = ll_report_fold(report, &fold);
    }
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK; i++) {
        const ll_entry *entry = &report->entries.items[i];
        bool left_out = !is_shown(emitter, entry) || entry->left_out;
        uint32_t times = left_out ? 0 : fold.count ? fold.count[i] : 1;
        (void)ll_chunk_pass_on(chunk);
        size_t start = chunk->text.length;
        ll_piece *piece = times ? LL_ARRAY_ADD(&chunk->pieces, &chunk->allocator) : NULL;
        if (!times) {
            continue;
        }
        status = piece ? ll_sarif_result(emitter, report, i, times, chunk->artifacts.count, chunk) : LL_E_MEMORY;
        if (status == LL_OK) {
            *piece = (ll_piece){.length = chunk->text.length - start,
                                .rule = ll_rule_at(report->rules, entry->rule),
                                .severity = entry->severity,
                                .form = (uint8_t)ll_message_form_of(entry->found, entry->expected)};
        }
    }
    return status == LL_OK ? note_artifacts(report, any, chunk) : status;
}

/* ------------------------------------------------------------------ rules that have results */

/* Index of a rule among those with results, which are few. Rule sets may differ between reports; rules with equal ids
 * are one rule. LL_NO_RULE: out of memory. */
static uint32_t reported_index(const ll_allocator *a, run *r, const ll_piece *piece)
{
    uint32_t index = 0;
    while (index < r->rules.count && strcmp(r->rules.items[index].rule->id, piece->rule->id) != 0) {
        index++;
    }
    if (index == r->rules.count) {
        reported_rule *added = LL_ARRAY_ADD(&r->rules, a);
        if (!added) {
            return LL_NO_RULE;
        }
        *added = (reported_rule){piece->rule, piece->severity, 0};
    }
    return index;
}

/* ------------------------------------------------------------------ results of the run */

/* Reads a chunk. */
typedef struct reader {
    const ll_chunk *chunk;
    size_t at, index; /* next byte of the text, next entry of chunk->indexes */
} reader;

/* Copies text and inserts the indexes of artifacts. */
static void copy_text(reader *in, size_t length, ll_text *out)
{
    const ll_chunk *chunk = in->chunk;
    size_t end = in->at + length;
    for (; in->index < chunk->indexes.count && chunk->indexes.items[in->index].at < end; in->index++) {
        const ll_artifact_index *index = &chunk->indexes.items[in->index];
        ll_text_put(out, chunk->text.data + in->at, index->at - in->at);
        ll_text_u64(out, chunk->artifacts.items[index->artifact].number);
        in->at = index->at;
    }
    ll_text_put(out, chunk->text.data + in->at, end - in->at);
    in->at = end;
}

static void skip_text(reader *in, size_t length)
{
    in->at += length;
    while (in->index < in->chunk->indexes.count && in->chunk->indexes.items[in->index].at < in->at) {
        in->index++;
    }
}

/* Writes a comma and the result, with its rule. */
static ll_status put_result(ll_emitter *emitter, const ll_piece *piece, reader *in, ll_text *out)
{
    run *r = emitter->state;
    uint32_t index = reported_index(&emitter->allocator, r, piece);
    if (index == LL_NO_RULE) {
        return LL_E_MEMORY;
    }
    r->rules.items[index].forms |= 1U << piece->form;
    ll_jsonw json = {out, true};
    ll_jsonw_line(&json);
    ll_jsonw_begin(&json, '{');
    LL_JSON_PLAIN(&json, "ruleId", piece->rule->id);
    LL_JSON_U64(&json, "ruleIndex", index);
    ll_text_char(out, ',');
    copy_text(in, piece->length, out);
    return out->failed ? LL_E_MEMORY : LL_OK;
}

/* Estimates the packed size, in bits, of the text from `from` on. */
static uint64_t count_bits(level_results *level, size_t from)
{
    const char *text = level->text.data;
    size_t end = level->text.length;
    uint64_t bits = 0;
    while (from < end) {
        size_t length = 1;
        if (end - from >= REPEATED_MIN && from < UINT32_MAX) {
            uint64_t hash = ll_map_hash_bytes(0, text + from, REPEATED_MIN);
            uint32_t *recent = &level->recent[hash >> (64 - RECENT_BITS)];
            size_t at = *recent - (size_t)1;
            bool repeats =
                *recent && at < from && from - at <= WINDOW && memcmp(text + at, text + from, REPEATED_MIN) == 0;
            *recent = (uint32_t)from + 1;
            size_t most = end - from < REPEATED_MAX ? end - from : REPEATED_MAX;
            while (repeats && length < most && text[at + length] == text[from + length]) {
                length++;
            }
        }
        bits += length > 1 ? REPEATED_BITS : (uint8_t)text[from] < 0x80 ? ASCII_BITS : OTHER_BITS;
        from += length;
    }
    return bits;
}

/* Drops the last results of lower severities until there is room. False: there is no room. */
static bool make_room(ll_emitter *emitter, unsigned severity, uint64_t bits)
{
    run *r = emitter->state;
    for (unsigned i = LL_NOTE; i < severity; i++) {
        level_results *level = &r->levels[i];
        while ((r->kept == RESULTS_MAX || r->bits + bits > RESULTS_BITS) && level->kept.count) {
            kept_result last = level->kept.items[--level->kept.count];
            level->text.length -= last.length;
            r->bits -= last.bits;
            r->kept--;
            emitter->cut++;
        }
    }
    return r->kept < RESULTS_MAX && r->bits + bits <= RESULTS_BITS;
}

/* Whether the artifacts that a result refers to were kept. */
static bool is_placed(const reader *in, size_t length)
{
    const ll_chunk *chunk = in->chunk;
    bool placed = true;
    for (size_t i = in->index; i < chunk->indexes.count && chunk->indexes.items[i].at < in->at + length; i++) {
        placed = placed && chunk->artifacts.items[chunk->indexes.items[i].artifact].number != NO_ARTIFACT;
    }
    return placed;
}

static ll_status keep_result(ll_emitter *emitter, const ll_piece *piece, reader *in)
{
    run *r = emitter->state;
    if (!is_placed(in, piece->length) || !make_room(emitter, piece->severity, 0)) {
        emitter->cut++;
        skip_text(in, piece->length);
        return LL_OK;
    }
    level_results *level = &r->levels[piece->severity];
    size_t before = level->text.length;
    bool room = LL_ARRAY_ROOM(&level->kept, 1, &emitter->allocator);
    ll_status status = room ? put_result(emitter, piece, in, &level->text) : LL_E_MEMORY;
    if (status != LL_OK) {
        return status;
    }
    uint64_t bits = count_bits(level, before);
    if (!make_room(emitter, piece->severity, bits)) {
        emitter->cut++;
        level->text.length = before;
        return LL_OK;
    }
    level->kept.items[level->kept.count++] = (kept_result){level->text.length - before, bits};
    r->bits += bits;
    r->kept++;
    return LL_OK;
}

/* Keeps an artifact; returns its index in the run, or NO_ARTIFACT if the GitHub profile has no room. The caller made
 * room in the array. */
static uint64_t keep_artifact(ll_emitter *emitter, const ll_artifact *artifact, const char *name)
{
    run *r = emitter->state;
    uint64_t bits = 8 * ((uint64_t)strlen(name) + ARTIFACT_MIN);
    if (ll_sarif_is_github(emitter) && r->artifact_bits + bits > ARTIFACTS_BITS) {
        return NO_ARTIFACT;
    }
    r->artifact_bits += bits;
    r->artifacts.items[r->artifacts.count] = *artifact;
    r->artifacts.items[r->artifacts.count].name = r->names.length;
    ll_text_put(&r->names, name, strlen(name) + 1);
    return r->artifacts.count++;
}

/* Keeps artifacts. For GitHub only those with results, and the file around them, which may be from an earlier chunk. */
static ll_status keep_artifacts(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    if (!LL_ARRAY_ROOM(&r->artifacts, chunk->artifacts.count + 1, &emitter->allocator)) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < chunk->artifacts.count; i++) {
        ll_artifact *artifact = &chunk->artifacts.items[i];
        const char *name = chunk->names.data + artifact->name;
        bool wanted = artifact->depth || artifact->has_results || !ll_sarif_is_github(emitter);
        if (artifact->depth && r->file.number == NO_ARTIFACT) {
            r->file.number = keep_artifact(emitter, &r->file, ll_text_cstr(&r->file_name));
            wanted = r->file.number != NO_ARTIFACT;
        }
        artifact->number = wanted ? keep_artifact(emitter, artifact, name) : NO_ARTIFACT;
        if (!artifact->depth) {
            r->file = *artifact;
            ll_text_clear(&r->file_name);
            ll_text_str(&r->file_name, name);
        }
    }
    return r->names.failed || r->file_name.failed ? LL_E_MEMORY : LL_OK;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    reader in = {.chunk = chunk};
    ll_status status = keep_artifacts(emitter, chunk);
    for (size_t i = 0; i < chunk->pieces.count && status == LL_OK; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        status = ll_sarif_is_github(emitter) ? keep_result(emitter, piece, &in)
                                             : put_result(emitter, piece, &in, &emitter->out);
    }
    return status == LL_OK ? ll_emit_items(emitter, &emitter->out) : status;
}

/* ------------------------------------------------------------------ the end of the run */

#define TRUNCATION_ID "LLN001"
#define TRUNCATION_TEXT "{\"text\":\"Findings were left out, by a limit or because another one explains them.\"}"
static const char TRUNCATION[] =
    ",\"notifications\":[{\"id\":\"" TRUNCATION_ID
    "\",\"name\":\"FindingsLeftOut\",\"shortDescription\":" TRUNCATION_TEXT ",\"fullDescription\":" TRUNCATION_TEXT
    ",\"help\":{\"text\":\"Fix what is reported and run again, or raise the limits: --all, --max-per-rule 0, "
    "--max-per-file 0. The profile for GitHub keeps 5000 results and below 10 MB after gzip, the severest first; the "
    "others, up to 50000 of a file.\"}}]";

static bool is_truncated(const ll_emitter *emitter)
{
    return ll_emitter_missing(emitter) > 0;
}

static void put_tool(const ll_emitter *emitter, ll_text *scratch, ll_text *out)
{
    const run *r = emitter->state;
    ll_text_str(out, "\"tool\":{\"driver\":{\"name\":\"lightlint\",\"semanticVersion\":\"" LL_VERSION_STRING
                     "\",\"version\":\"" LL_VERSION_STRING "\",");
    const char *home = ll_home_url(emitter);
    ll_text_format(out, *home ? "\"informationUri\":\"%s\",\"rules\":[" : "%s\"rules\":[", home);
    for (uint32_t i = 0; i < r->rules.count; i++) {
        ll_text_str(out, i ? ",\n" : "\n");
        ll_sarif_rule(emitter, r->rules.items[i].rule, r->rules.items[i].forms, scratch, out);
    }
    ll_text_format(out, "]%s}}", is_truncated(emitter) ? TRUNCATION : "");
}

static void add_notification(ll_tree *t, const ll_emitter *emitter)
{
    if (!is_truncated(emitter)) {
        return;
    }
    cJSON *notification = ll_tree_object(t, ll_tree_array(t, t->root, "toolExecutionNotifications"), NULL);
    cJSON *descriptor = ll_tree_object(t, notification, "descriptor");
    ll_tree_string(t, descriptor, "id", TRUNCATION_ID);
    ll_tree_u64(t, descriptor, "index", 0);
    ll_tree_string(t, notification, "level", "warning");
    ll_text_format(ll_tree_empty(t),
                   "%" PRIu64 " findings were left out, by a limit or because another one explains them.",
                   ll_emitter_missing(emitter));
    ll_tree_scratch(t, ll_tree_object(t, notification, "message"), "text");
}

/* Writes the severities that the user changed, for rules with results. */
static void add_overrides(ll_tree *t, const ll_emitter *emitter)
{
    const run *r = emitter->state;
    cJSON *list = NULL;
    for (uint32_t i = 0; i < r->rules.count && !t->failed; i++) {
        const reported_rule *reported = &r->rules.items[i];
        if (reported->severity == reported->rule->severity) {
            continue;
        }
        list = list ? list : ll_tree_array(t, t->root, "ruleConfigurationOverrides");
        cJSON *override = ll_tree_object(t, list, NULL);
        cJSON *descriptor = ll_tree_object(t, override, "descriptor");
        ll_tree_string(t, descriptor, "id", reported->rule->id);
        ll_tree_u64(t, descriptor, "index", i);
        ll_sarif_level(t, ll_tree_object(t, override, "configuration"), reported->severity);
    }
}

static void put_invocation(const ll_emitter *emitter, int exit_code, ll_text *scratch, ll_text *out)
{
    static const char *const verdicts[] = {"no finding at or above the fail level.",
                                           "findings at or above the fail level."};
    bool known = exit_code >= 0 && exit_code <= 2;
    ll_tree t = ll_tree_start(scratch);
    (void)ll_tree_add(&t, t.root, "executionSuccessful",
                      cJSON_CreateBool(known)); /* a file that cannot be read is a result, not a failure */
    (void)ll_tree_add(&t, t.root, "exitCode", cJSON_CreateNumber(exit_code));
    ll_text *words = ll_tree_empty(&t);
    if (known && exit_code == 2 && emitter->totals.unchecked) {
        ll_count_text(words, emitter->totals.unchecked, "file");
        ll_text_str(words, " not checked or not in full.");
    } else if (known && exit_code == 2) {
        ll_text_str(words, "Something that was asked for was not checked or not done.");
    } else if (known && emitter->totals.partly) {
        ll_count_text(words, emitter->totals.partly, "file");
        ll_text_format(words, " checked in part, which is allowed; %s", verdicts[exit_code]);
    } else if (known) {
        ll_text_format(words, "Everything was checked; %s", verdicts[exit_code]);
    }
    if (known) {
        ll_tree_scratch(&t, t.root, "exitCodeDescription");
    }
    add_overrides(&t, emitter);
    add_notification(&t, emitter);
    ll_text_str(out, "\"invocations\":[");
    ll_tree_print(&t, out);
    ll_text_str(out, "]");
}

/* Writes the commit of the files, if known. */
static void put_provenance(const ll_emitter *emitter, ll_text *out)
{
    const ll_provenance *from = emitter->options.provenance;
    ll_jsonw json = {out, false};
    if (!from) {
        return;
    }
    const char *const members[][2] = {{"repositoryUri", from->uri},
                                      {"revisionId", from->revision},
                                      {"branch", from->branch},
                                      {"revisionTag", from->tag}};
    ll_text_str(out, ",\n");
    LL_JSON_BEGIN(&json, "versionControlProvenance", '[');
    ll_jsonw_begin(&json, '{');
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i][1]) {
            ll_jsonw_name(&json, members[i][0]);
            ll_jsonw_str(&json, members[i][1]);
        }
    }
    if (from->at_root) {
        LL_JSON_BEGIN(&json, "mappedTo", '{');
        LL_JSON_PLAIN(&json, "uriBaseId", "%SRCROOT%");
        ll_jsonw_end(&json, '}');
    }
    ll_jsonw_end(&json, '}');
    ll_jsonw_end(&json, ']');
}

static void put_artifact(const ll_artifact *artifact, const char *name, uint64_t parent, bool holds, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "location");
    if (artifact->depth) {
        ll_jsonw_begin(&json, '{');
        ll_sarif_nested_uri(&json, name);
        ll_jsonw_end(&json, '}');
        LL_JSON_U64(&json, "parentIndex", parent);
        LL_JSON_U64(&json, "offset", artifact->offset);
    } else {
        ll_sarif_location(&json, name);
    }
    LL_JSON_U64(&json, "length", artifact->size);
    LL_JSON_PLAIN(&json, "mimeType", artifact->is_text ? "text/plain" : "application/octet-stream");
    if (!artifact->depth) {
        LL_JSON_BEGIN(&json, "roles", '[');
        ll_jsonw_plain(&json, "analysisTarget");
        if (artifact->has_results || holds) {
            ll_jsonw_plain(&json, "resultFile");
        }
        ll_jsonw_end(&json, ']');
    }
    ll_jsonw_end(&json, '}');
}

static void put_artifacts(ll_emitter *emitter)
{
    const run *r = emitter->state;
    ll_text *out = &emitter->out;
    uint64_t last[DEPTHS] = {0}; /* by depth: the last artifact so far */
    ll_text_str(out, ",\n\"artifacts\":[");
    for (size_t i = 0; i < r->artifacts.count && emitter->status == LL_OK; i++) {
        const ll_artifact *artifact = &r->artifacts.items[i];
        last[artifact->depth] = i;
        ll_text_str(out, i ? ",\n" : "\n");
        bool holds =
            i + 1 < r->artifacts.count && artifact[1].depth > artifact->depth; /* the next artifact is inside it */
        put_artifact(artifact, r->names.data + artifact->name, artifact->depth ? last[artifact->depth - 1] : 0, holds,
                     out);
        if (out->length > LL_SEND_AT) {
            (void)ll_emit_text(emitter, out);
        }
    }
    ll_text_str(out, "]}]}\n");
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    ll_text scratch;
    ll_text_init(&scratch, &emitter->allocator);
    for (unsigned i = LEVELS; i-- > 0;) {
        (void)ll_emit_items(emitter, &r->levels[i].text);
    }
    ll_text_str(out, "],\n");
    put_tool(emitter, &scratch, out);
    ll_text_str(out, ",\n\"automationDetails\":{\"id\":\"lightlint/default/\"},\n"
                     "\"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{\"text\":\"The directory that the paths "
                     "start from.\"}}},\n");
    put_invocation(emitter, exit_code, &scratch, out);
    put_provenance(emitter, out);
    put_artifacts(emitter);
    ll_text_free(&scratch);
    return LL_OK;
}

static const char HEAD[] = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
                           "\"runs\":[{\"results\":[";
#define SARIF_FORMAT                                                                                                   \
    {                                                                                                                  \
        .state_size = sizeof(run), .open = open_run, .close = close_run, .head = HEAD, .render = render,               \
        .patches = true, .commit = commit, .finish = finish                                                            \
    }
const ll_emit_format ll_emit_sarif = SARIF_FORMAT;
const ll_emit_format ll_emit_sarif_github = SARIF_FORMAT;
