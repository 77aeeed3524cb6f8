/* SOUP, the bytecode of scene scripts: reads an actor's block in RASC (soup_decode.c, soup_skip.c), finds what is wrong
 * with it (soup_verify.c) and prints it (soup_text.c). A block is a sequence of statements that fills it. What a byte
 * means depends on where its value stands. Grammar and evidence: docs/formats/soup.md. */
#ifndef LL_FORMATS_SOUP_H
#define LL_FORMATS_SOUP_H

#include "formats/rgm/rgm_parser.h"

enum {
    SOUP_DEPTH_MAX = 64,        /* most calls inside one another that are read */
    SOUP_STATEMENT_MAX = 16384, /* most bytes of a statement that are read */
    SOUP_FUNCTIONS = 367,
    SOUP_FLAGS = 369,
    SOUP_ATTRIBUTES = 127, /* attributes that have names */
    SOUP_ATTRIBUTE_BYTES = 256,
    SOUP_MARK_EVERY = 1024,
    SOUP_SKIP_MARGIN = 96 /* most bytes that soup_skip() reads between two checks of its position */
};

typedef enum soup_opcode {
#define LL_SOUP_OPCODE(number, name, text, use, listed) SOUP_OP_##name = (number),
#include "formats/rgm/soup_grammar.def"
    SOUP_OPCODES
} soup_opcode;

/* The place of a value in its statement. */
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

/* What is wrong with a token: flaws of form first, then errors, then unusual values. */
typedef enum soup_flaw {
    SOUP_SOUND,
#define LL_SOUP_FLAW(name, fault, word, bound) SOUP_FLAW_##name,
#include "formats/rgm/soup_grammar.def"
    SOUP_FLAWS,
    SOUP_FLAW_FORM = SOUP_FLAW_BEFORE,   /* flaws up to this one: the bytes cannot be code */
    SOUP_FLAW_ERROR = SOUP_FLAW_VARIABLE /* flaws up to this one: they lead nowhere; the others are only unusual */
} soup_flaw;

typedef struct soup_token {
    uint32_t offset; /* offset in the block */
    uint32_t value;
    uint8_t length;
    uint8_t kind; /* soup_token_kind */
    uint8_t mode; /* soup_mode of the value that it belongs to */
    uint8_t flaw; /* soup_flaw */
} soup_token;

/* What the current value is a part of, and what is read after it. */
typedef enum soup_frame_kind { SOUP_IN_CALL, SOUP_IN_FORMULA, SOUP_IN_LEFT, SOUP_IN_RIGHT } soup_frame_kind;

typedef struct soup_frame {
    uint32_t index; /* number of the parameter, operand or condition */
    uint16_t function;
    uint8_t count;  /* number of parameters */
    uint8_t kind;   /* soup_frame_kind */
    uint8_t opcode; /* opcode of the call */
} soup_frame;

/* Upper limits of an operand. */
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

/* Reads one block. After soup_open(), soup_next() reads one statement for each call, until it returns false: at the end
 * of the block, or at bytes that cannot be read (stop). The visitor sees each wanted token once, also the one at which
 * reading stops. */
struct soup_decoder {
    const uint8_t *code;
    uint32_t length;
    uint32_t strings;   /* strings of the actor; UINT32_MAX: unknown */
    uint32_t variables; /* variables of the actor; UINT32_MAX: unknown */
    uint32_t pos;       /* offset after what was read */
    uint32_t statement; /* number of the current statement, or of the last one */
    uint32_t start;     /* offset of that statement */
    uint32_t value;     /* offset of the current value */
    uint8_t opcode;     /* opcode of that value */
    uint8_t mode;       /* soup_mode of that value */
    uint8_t stop;       /* soup_flaw: why nothing more can be read; 0: more can be */
    uint8_t stop_kind;  /* SOUP_FLAW_TRUNCATED: soup_token_kind of the token that is cut off, */
    uint8_t stop_bytes; /* and the bytes that it takes */
    bool trial;  /* finds out whether bytes can be read in a certain way: shows nothing, and stops at the first flaw of
                    form */
    bool flawed; /* in a trial: other flaws were met */
    uint32_t budget; /* in a trial: values that may still be read */
    uint32_t tried;  /* statement in which the last trial after a single flaw was made; its result holds for the rest of
                        the statement */
    uint32_t tried_until; /* up to this offset; in a trial: offset at which half of the budget was used up */
    bool tried_well;
    uint32_t odd_at; /* a token at this offset is read as if it had odd_length bytes, as a faulty tool writes it;
                        UINT32_MAX: none */
    uint32_t odd_length;
    uint32_t wanted;   /* kinds of tokens that the visitor sees, a bit for each; it sees flawed ones in any case */
    uint32_t shown;    /* calls that end at or before this offset were shown already */
    uint32_t readable; /* offsets below have at least SOUP_SKIP_MARGIN more bytes in the file */
    uint64_t limits[SOUP_LIMITS];          /* by soup_limit: operands are below */
    uint32_t object_limits[SOUP_HELD + 1]; /* by soup_object: second bytes are below */
    uint32_t held, held_start; /* offset of the last variable that names an object, UINT32_MAX: none; and offset of its
                                  statement */
    soup_visit_fn visit;
    void *ctx;
    uint32_t depth;
    soup_frame frames[SOUP_DEPTH_MAX + 1];
};

enum { SOUP_ALL_TOKENS = (1U << SOUP_TOKENS) - 1 };

/* What is noted of the statements of a block. */
typedef struct soup_notes {
    uint64_t *starts;   /* a bit for each byte at which a statement begins */
    uint64_t *branches; /* a bit for each of these that may lead elsewhere than to the next statement */
    uint64_t *calls;    /* a bit for each of these that is a Gosub */
    uint64_t opcodes;   /* a bit for each opcode that occurs */
} soup_notes;

/* Opcodes of statements that may lead elsewhere than to the next one, a bit for each. */
static const uint64_t SOUP_TURNS = 1U << SOUP_OP_IF | 1U << SOUP_OP_GOTO | 1U << SOUP_OP_END | 1U << SOUP_OP_GOSUB |
                                   1U << SOUP_OP_RETURN | 1U << SOUP_OP_ENDINT | 1U << SOUP_OP_TASK_PAUSE |
                                   1U << SOUP_OP_SCRIPT_RV;

/* Starts reading a block at its first byte. span: of the block (rgm.block). wanted: as in soup_decoder. visit may be
 * NULL only if nothing is shown: for a trial. */
void soup_open(soup_decoder *d, const ll_doc *doc, uint32_t span, uint32_t wanted, soup_visit_fn visit, void *ctx);
/* Continues at an offset that is known to begin statement `number`. */
void soup_seek(soup_decoder *d, uint32_t offset, uint32_t number);
bool soup_next(soup_decoder *d);
/* Skips sound statements up to one that soup_next() has to read, or that begins at or after `until`; notes each. Shows
 * only calls that may have to be reported, so the visitor may want nothing but calls. */
void soup_skip(soup_decoder *d, uint32_t until, soup_notes *notes);

/* Notes the statement that was read last. */
static inline void soup_note(const soup_decoder *d, soup_notes *notes)
{
    uint32_t word = d->start / 64;
    unsigned opcode = d->code[d->start] % 64;
    notes->starts[word] |= (uint64_t)1 << d->start % 64;
    notes->branches[word] |= (SOUP_TURNS >> opcode & 1) << d->start % 64;
    notes->calls[word] |= (uint64_t)(opcode == SOUP_OP_GOSUB) << d->start % 64;
    notes->opcodes |= (uint64_t)1 << opcode;
}

/* Notes that a variable that names an object stands at this offset. */
static inline void soup_hold(soup_decoder *d, uint32_t place)
{
    d->held = place;
    d->held_start = d->start;
}

typedef enum soup_verdict { SOUP_UNREADABLE, SOUP_FLAWED, SOUP_READABLE } soup_verdict;

/* Finds out how well `statements` statements from `offset` on (or all up to the end) can be read, if a token at odd_at
 * has odd_length bytes. Calls no visitor. */
soup_verdict soup_try(const soup_decoder *d, uint32_t offset, unsigned statements, uint32_t odd_at,
                      uint32_t odd_length);

/* ------------------------------------------------------------------ names */

typedef enum soup_function_kind {
    SOUP_KIND_UNMARKED,
    SOUP_KIND_FUNCTION,
    SOUP_KIND_TASK,
    SOUP_KIND_MULTITASK
} soup_function_kind;

/* What the first parameter of some functions means if it is a number. */
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
    const char *path; /* last piece of its path */
    const char *type;
    bool of_frame;       /* belongs to what holds the value, not to the value */
    const char *unnamed; /* printed in front of a number that has no name */
} soup_token_name;

extern const soup_token_name soup_token_names[SOUP_TOKENS];

/* "If", "Goto", ...; "?" if it is no opcode. */
const char *soup_opcode_name(unsigned opcode);

/* ------------------------------------------------------------------ functions of ll_format */

/* Functions of rgm_format; ll_format describes them. */
bool soup_split(const ll_doc *doc, uint32_t span, ll_leaf_fn visit, void *ctx);
void soup_part_name(const ll_doc *doc, uint32_t span, uint32_t offset, uint32_t length, ll_text *out);
bool soup_list(const ll_doc *doc, const char *name, ll_line_fn visit, void *ctx);
bool soup_list_name(const ll_doc *doc, uint32_t i, ll_text *out);

#endif
