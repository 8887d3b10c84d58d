/* The check: what the sweeps call. */
typedef struct {
    const char *name;
    const void *primal;
    void *adjoint, *tangent;
    size_t bytes; /* 0: not known */
    int is_argument, is_written, is_input, is_output;
} @_block;
enum { @_BLOCKS = 256 };
typedef struct {
    const char *head;
    unsigned calls;
    int has_single; /* some value of the program is a float */
    size_t count;
    @_block blocks[@_BLOCKS];
} @_head;
void @_note(uint32_t site, const void *value, size_t bytes);
void @_compare(uint32_t site, const void *value, size_t bytes);
/* How many operands are noted. */
size_t @_noted(void);
/* A pass that will run again has run: its operands since then leave a hash. */
void @_rehearsed(size_t since);
/* It has run again: its operands must have the hash that the first run left. */
void @_repeated(uint32_t site, size_t since);
void @_shadowed(const void *place, void *shadow, int bits);
/* A pointer in memory is read: gives its place back. */
void *@_followed(const void *place);
/* Whether the sweeps read the pointer at a place. */
int @_follows(const void *place);
void *@_allocated(void *block, size_t bytes);
/* The copy that is watched is about to read or write memory; calls a procedure, which begins, and is back from it. */
void *@_reached(const void *place, size_t bytes, uint32_t site);
void @_calls(uint32_t call);
void @_begins(void);
void @_leaves(void);
/* A function is called that is not watched. */
void @_unseen(uint32_t function);
void @_add(@_head *head, @_block block);
/* The run that the calling process is to make; 0: the caller's own. The first one learns, the others compare. */
int @_learn(@_head *head, const void *frame);
int @_trial(@_head *head);
/* The tangent that lies as the adjoint does: another one in a variable at file scope. */
void *@_along(const @_head *head, const void *adjoint);
/* A call of a head without sweeps. */
void @_nothing(const char *head);
double @_direction(int argument, double value);
double @_shift(int argument, double value);
double @_weight(void);
/* The adjoint of an argument that is passed by value. */
void @_adjoint(int argument, double value, double adjoint);
/* The tangent of the result, and the result. */
void @_tangent(double tangent);
void @_result(double result);
void @_answer(void);
/* A function with a rule: where it is called, its parameters, what its clauses name, it and its derivatives. */
typedef struct {
    const char *name;
    int kind; /* 0: what is passed as it is, 1: a real, 2: a pointer to reals, 3: to integers */
    int bytes; /* of an element */
    int is_constant, has_adjoint;
    void *at; /* the argument */
} @_param;
enum { @_CALLS = 16 };
typedef struct {
    const char *name, *where;
    int count, status; /* status: the parameter that is not 0 where results are undefined; -1: none */
    int has_state, is_real_result, bytes_of_result;
    @_param *params;
    void (*sections)(void), (*primal)(void), (*reverse)(void *const *), (*tangent)(void *const *);
    void *result;
    int calls;
    uint64_t kinds[@_CALLS];
} @_rule;
/* An element that a clause names. `when`: the adjoints with which the derivative reads it, of those at 1 << parameter. */
void @_section(int param, int does, uint64_t when, const void *element);
void @_try(@_rule *rule);
/* A rule without a tangent: the run of the tangent ends. */
void @_no_tangent(void);
void @_end(@_head *head, adtape_t *tape);
static inline void @_note_f32(uint32_t site, float x) { @_note(site, &x, sizeof x); }
static inline void @_note_f64(uint32_t site, double x) { @_note(site, &x, sizeof x); }
static inline void @_note_f80(uint32_t site, long double x) { @_note(site, &x, 10); }
static inline void @_note_i64(uint32_t site, int64_t x) { @_note(site, &x, sizeof x); }
static inline void @_compare_f32(uint32_t site, float x) { @_compare(site, &x, sizeof x); }
static inline void @_compare_f64(uint32_t site, double x) { @_compare(site, &x, sizeof x); }
static inline void @_compare_f80(uint32_t site, long double x) { @_compare(site, &x, 10); }
static inline void @_compare_i64(uint32_t site, int64_t x) { @_compare(site, &x, sizeof x); }
