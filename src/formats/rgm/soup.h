/* SOUP, the bytecode of scene scripts: how an actor's block in RASC is read (soup_decode.c), what is wrong with it
 * (soup_verify.c) and how it is printed (soup_text.c). A block is a sequence of statements from its first byte to
 * its last; what a byte means depends on where its value stands. Grammar and evidence: docs/formats/soup.md. */
#ifndef LL_FORMATS_SOUP_H
#define LL_FORMATS_SOUP_H

#include "formats/rgm/rgm_parser.h"

enum {
    SOUP_DEPTH_MAX = 64,        /* calls in one another that are read */
    SOUP_STATEMENT_MAX = 16384, /* bytes of one statement that are read */
    SOUP_FUNCTIONS = 367,
    SOUP_FLAGS = 369,
    SOUP_ATTRIBUTES = 127, /* that have names */
    SOUP_ATTRIBUTE_BYTES = 256,
    SOUP_MARK_EVERY = 1024,
    SOUP_SKIP_MARGIN = 96 /* bytes that are looked at between two looks at the position, at most */
};

typedef enum soup_opcode {
#define LL_SOUP_OPCODE(number, name, text, use, listed) SOUP_OP_##name = (number),
#include "formats/rgm/soup_grammar.def"
    SOUP_OPCODES
} soup_opcode;

/* Where a value stands. */
typedef enum soup_mode { SOUP_MAIN, SOUP_LEFT, SOUP_RIGHT, SOUP_PARAMETER, SOUP_FORMULA } soup_mode;

typedef enum soup_object { SOUP_ME = 0, SOUP_PLAYER = 1, SOUP_CAMERA = 2, SOUP_NAMED = 4, SOUP_HELD = 10 } soup_object;

typedef enum soup_operator {
    SOUP_OPERATOR_END = 0,
    SOUP_OPERATOR_LAST = 9,
    SOUP_PLUS_PLUS = 10,
    SOUP_MINUS_MINUS = 11
} soup_operator;

enum { SOUP_COMPARISONS = 6, SOUP_CONJUNCTIONS = 3, SOUP_OPERATORS = 12 };

typedef enum soup_token_kind {
#define LL_SOUP_TOKEN(name, ...) SOUP_##name,
#include "formats/rgm/soup_grammar.def"
    SOUP_TOKENS
} soup_token_kind;

/* What is wrong with a token. */
typedef enum soup_flaw {
    SOUP_SOUND,
#define LL_SOUP_FLAW(name, fault, word, bound) SOUP_FLAW_##name,
#include "formats/rgm/soup_grammar.def"
    SOUP_FLAWS,
    SOUP_FLAW_FORM = SOUP_FLAW_BEFORE,   /* up to here: the bytes cannot be code */
    SOUP_FLAW_ERROR = SOUP_FLAW_VARIABLE /* up to here: they lead nowhere; the rest is only unusual */
} soup_flaw;

typedef struct soup_token {
    uint32_t offset; /* in the block */
    uint32_t value;
    uint8_t length;
    uint8_t kind; /* soup_token_kind */
    uint8_t mode; /* soup_mode of the value that it belongs to */
    uint8_t flaw; /* soup_flaw */
} soup_token;

/* What is read when the value at hand is complete. */
typedef enum soup_frame_kind { SOUP_IN_CALL, SOUP_IN_FORMULA, SOUP_IN_LEFT, SOUP_IN_RIGHT } soup_frame_kind;

typedef struct soup_frame {
    uint32_t index; /* of the parameter, the operand, the condition */
    uint16_t function;
    uint8_t count;  /* of parameters */
    uint8_t kind;   /* soup_frame_kind */
    uint8_t opcode; /* of the call */
} soup_frame;

/* What bounds an operand. */
typedef enum soup_limit {
    SOUP_NOTHING,
    SOUP_ANYTHING,
    SOUP_BELOW_FLAGS,
    SOUP_BELOW_VARIABLES,
    SOUP_BELOW_STRINGS,
    SOUP_BELOW_END,
    SOUP_LIMITS
} soup_limit;

typedef struct soup_decoder soup_decoder;
typedef void (*soup_visit_fn)(void *ctx, const soup_decoder *d, const soup_token *token);

/* A reader of one block. After soup_open(), soup_next() reads statements until it says false: at the end, or at what
 * cannot be read (stop). The visitor sees every token once, also the one at which it ends. */
struct soup_decoder {
    const uint8_t *code;
    uint32_t length;
    uint32_t strings;   /* that the actor has; UINT32_MAX: not known */
    uint32_t variables; /* likewise */
    uint32_t pos;       /* behind what was read */
    uint32_t statement; /* number of the one at hand or read last */
    uint32_t start;     /* of that statement */
    uint32_t value;     /* where the value at hand begins */
    uint8_t opcode;     /* of that value */
    uint8_t mode;       /* soup_mode of it */
    uint8_t stop;       /* soup_flaw: why nothing more can be read */
    uint8_t stop_kind;  /* soup_token_kind of the token that is not there in full, for SOUP_FLAW_TRUNCATED */
    uint8_t stop_bytes; /* and how many bytes it takes */
    bool trial;         /* looks whether bytes can be read in a certain way: stops at the first flaw of form */
    bool flawed;        /* in a trial: met other flaws */
    uint32_t budget;    /* in a trial: values left */
    uint32_t tried; /* statement from which the last trial behind a single flaw was made; what it found out holds for
                       others in it, */
    uint32_t tried_until; /* up to this place; in a trial: where half of the budget was used up */
    bool tried_well;
    uint32_t odd_at; /* a token there is taken to have odd_length bytes, as a faulty tool would have written it;
                        UINT32_MAX: none */
    uint32_t odd_length;
    uint32_t
        wanted;     /* kinds of tokens that the visitor is shown, a bit for each; those that have a flaw it always is */
    uint32_t shown; /* calls that end before this place, or at it, were shown already */
    uint32_t readable;                     /* places from which some more bytes can be read are below */
    uint64_t limits[SOUP_LIMITS];          /* operands of plain values are below */
    uint32_t object_limits[SOUP_HELD + 1]; /* second bytes of objects are below */
    uint32_t held, held_start; /* place of the last variable of an object, UINT32_MAX: none, and its statement */
    soup_visit_fn visit;
    void *ctx;
    uint32_t depth;
    soup_frame frames[SOUP_DEPTH_MAX + 1];
};

enum { SOUP_ALL_TOKENS = (1U << SOUP_TOKENS) - 1 };

/* What is noted of statements. */
typedef struct soup_notes {
    uint64_t *starts;   /* a bit for each byte at which a statement begins */
    uint64_t *branches; /* and for those of them that may not continue with the next one */
    uint64_t *calls;    /* and for those that are Gosubs */
    uint64_t opcodes;   /* a bit for each opcode of theirs */
} soup_notes;

/* Opcodes of statements that may lead elsewhere than to the next one, a bit for each. */
static const uint64_t SOUP_TURNS = 1U << SOUP_OP_IF | 1U << SOUP_OP_GOTO | 1U << SOUP_OP_END | 1U << SOUP_OP_GOSUB |
                                   1U << SOUP_OP_RETURN | 1U << SOUP_OP_ENDINT | 1U << SOUP_OP_TASK_PAUSE |
                                   1U << SOUP_OP_SCRIPT_RV;

/* Begins at the start of a block, whose span (rgm.block) is given. */
void soup_open(soup_decoder *d, const ll_doc *doc, uint32_t span, uint32_t wanted, soup_visit_fn visit, void *ctx);
/* Goes on at a place that is known to begin statement `number`. */
void soup_seek(soup_decoder *d, uint32_t offset, uint32_t number);
bool soup_next(soup_decoder *d);
/* Goes over statements of which nothing is to be said, but calls that are to be shown, up to one that is to be read or
 * begins at `until` or behind it; notes each of them. The visitor wants nothing but calls. */
void soup_skip(soup_decoder *d, uint32_t until, soup_notes *notes);

/* The statement that was read last. */
static inline void soup_note(const soup_decoder *d, soup_notes *notes)
{
    uint32_t word = d->start / 64;
    unsigned opcode = d->code[d->start] % 64;
    notes->starts[word] |= (uint64_t)1 << d->start % 64;
    notes->branches[word] |= (SOUP_TURNS >> opcode & 1) << d->start % 64;
    notes->calls[word] |= (uint64_t)(opcode == SOUP_OP_GOSUB) << d->start % 64;
    notes->opcodes |= (uint64_t)1 << opcode;
}

/* The variable of an object stands at a place. */
static inline void soup_hold(soup_decoder *d, uint32_t place)
{
    d->held = place;
    d->held_start = d->start;
}

typedef enum soup_verdict { SOUP_UNREADABLE, SOUP_FLAWED, SOUP_READABLE } soup_verdict;

/* How the statements from `offset` on can be read, so many of them or all up to the end, if a token at odd_at has
 * odd_length bytes. Says nothing to a visitor. */
soup_verdict soup_try(const soup_decoder *d, uint32_t offset, unsigned statements, uint32_t odd_at,
                      uint32_t odd_length);

/* ------------------------------------------------------------------ names */

typedef enum soup_function_kind {
    SOUP_KIND_UNMARKED,
    SOUP_KIND_FUNCTION,
    SOUP_KIND_TASK,
    SOUP_KIND_MULTITASK
} soup_function_kind;

/* What the first parameter of some functions is, where it is a number. */
typedef enum soup_meaning {
#define LL_SOUP_MEANING(name, fault, limit) SOUP_##name,
#include "formats/rgm/soup_grammar.def"
    SOUP_MEANINGS
} soup_meaning;

typedef struct soup_function {
    const char *name;
    uint8_t parameters;
    uint8_t kind;    /* soup_function_kind */
    uint8_t meaning; /* soup_meaning */
} soup_function;

extern const soup_function soup_functions[SOUP_FUNCTIONS];

typedef struct soup_token_name {
    const char *path; /* last piece of it */
    const char *type;
    bool of_frame;       /* belongs to what the value stands in, not to the value */
    const char *unnamed; /* what stands before a number that has no name */
} soup_token_name;

extern const soup_token_name soup_token_names[SOUP_TOKENS];

/* "If", "Goto", ...; "?" for what is no opcode. */
const char *soup_opcode_name(unsigned opcode);

/* ------------------------------------------------------------------ what the rest of the family calls */

/* Of ll_format. */
bool soup_split(const ll_doc *doc, uint32_t span, ll_leaf_fn visit, void *ctx);
void soup_part_name(const ll_doc *doc, uint32_t span, uint32_t offset, uint32_t length, ll_text *out);
bool soup_list(const ll_doc *doc, const char *name, ll_line_fn visit, void *ctx);
bool soup_list_name(const ll_doc *doc, uint32_t i, ll_text *out);

#endif
