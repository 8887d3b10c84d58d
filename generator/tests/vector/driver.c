/* Three directions of each head, one after the other (model_b.h) or all at once (model_bv.h), printed exactly. */
#include <stdio.h>
#include <string.h>
#include "model.c"
#define ADTAPE_OWN_TYPES

#define K 3
#define N 4

/* One behind the other: an adjoint and its type for the direction k. */
#ifdef SEVERAL
#include "model_bv.h"
#define EACH for (int all = 0; !all; all = 1)
#define ONE(x) x[K]
#define SET(x, value) for (int d = 0; d < K; d++) (x)[d] = (value) * (float)(d + 1)
#define SAY(x) for (int d = 0; d < K; d++) out[d][said[d]++] = (x)[d]
#define POINTER(type, x) type (*x)[K]
#define ADDRESS(x) &x
#define PARTICLE struct particle_v
#define CLOUD struct cloud_v
#define PAIR struct pair_v
#define NODE struct node_v
#define CALL(f) f##v
#else
#include "model_b.h"
#define EACH for (int k = 0; k < K; k++)
#define ONE(x) x
#define SET(x, value) (x) = (value) * (float)(k + 1)
#define SAY(x) out[k][said[k]++] = (x)
#define POINTER(type, x) type *x
#define ADDRESS(x) &x
#define PARTICLE struct particle
#define CLOUD struct cloud
#define PAIR struct pair
#define NODE struct node
#define CALL(f) f
#endif

static double out[K][100];
static int said[K];

static void print(const char *what) {
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < said[k]; i++) printf("%s %d: %a\n", what, k, out[k][i]);
        said[k] = 0;
    }
}

int main(void) {
#ifdef ENERGY
    EACH {
        struct particle all[N];
        PARTICLE all_b[N];
        double energies[N], ONE(angle_b), ONE(seed);
        double ONE(energies_b[N]);
        memset(all_b, 0, sizeof all_b);
        for (int i = 0; i < N; i++) {
            all[i] = (struct particle){{0.1 * i, 1.0 - i, 0.3}, 1.0 + 0.2 * i, i % 2};
            energies[i] = 0.5 + i;
            SET(energies_b[i], 0.1 * i);
        }
        struct cloud c = {all, energies, N, 0.7};
        CLOUD c_b = {.all = all_b, .energy = energies_b};
        SET(c_b.scale, 0.0);
        SET(angle_b, 0.0);
        SET(seed, 1.0);
        SET(total_b, 0.5);
        total = 1.25;
        CALL(energy_b)(&c, &c_b, 0.4, ADDRESS(angle_b), seed);
        for (int i = 0; i < N; i++) {
            SAY(energies_b[i]);
            SAY(all_b[i].mass);
            for (int j = 0; j < 3; j++) SAY(all_b[i].at[j]);
        }
        SAY(c_b.scale);
        SAY(angle_b);
        SAY(total_b);
    }
    print("energy");
#endif
#ifdef GRID
    EACH {
        enum { M = 5 };
        double a[N][M], x[N], y[4];
        double ONE(a_b[N][M]), ONE(x_b[N]), ONE(y_b[4]);
        for (int i = 0; i < N; i++) {
            x[i] = 0.3 * i - 0.4;
            SET(x_b[i], 0.0);
            SET(y_b[i], 1.0 + i);
            for (int j = 0; j < M; j++) {
                a[i][j] = 1.0 + 0.1 * i * j;
                SET(a_b[i][j], 0.25 * j);
            }
        }
#ifdef SEVERAL
        grid_bv(N, M, a, &a_b[0][0][0], x, x_b, y, y_b);
#else
        grid_b(N, M, a, a_b, x, x_b, y, y_b);
#endif
        for (int i = 0; i < N; i++) {
            SAY(x_b[i]);
            SAY(y_b[i]);
            for (int j = 0; j < M; j++) SAY(a_b[i][j]);
        }
    }
    print("grid");
#endif
#ifdef SWAPS
    EACH {
        struct pair p = {1.5, -0.25};
        PAIR p_b;
        double ONE(by_b), ONE(seed);
        memset(&p_b, 0, sizeof p_b);
        SET(by_b, 0.0);
        SET(seed, 2.0);
        CALL(swaps_b)(p, &p_b, 0.8, ADDRESS(by_b), 3, seed);
        SAY(p_b.first);
        SAY(p_b.second);
        SAY(by_b);
    }
    print("swaps");
#endif
#ifdef CHAIN
    EACH {
        struct node all[N];
        NODE all_b[N];
        double ONE(seed);
        memset(all_b, 0, sizeof all_b);
        for (int i = 0; i < N; i++) {
            all[i] = (struct node){0.9 + 0.1 * i, &all[(i + 1) % N]};
            all_b[i].next = &all_b[(i + 1) % N];
        }
        SET(seed, 1.0);
        CALL(chain_b)(all, all_b, 1, seed);
        for (int i = 0; i < N; i++) SAY(all_b[i].value);
    }
    print("chain");
#endif
#ifdef LINEAR
    EACH {
        double x[2] = {0.5, 1.5}, y[3] = {0.1, 0.2, 0.3};
        double ONE(x_b[2]), ONE(y_b[3]), ONE(seed);
        for (int i = 0; i < 2; i++) SET(x_b[i], 0.5);
        for (int i = 0; i < 3; i++) SET(y_b[i], 0.25);
        SET(seed, 1.0);
        CALL(linear_b)(5, x, x_b, y, y_b, seed);
        for (int i = 0; i < 2; i++) SAY(x_b[i]);
        for (int i = 0; i < 3; i++) SAY(y_b[i]);
    }
    print("linear");
#endif
#ifdef ROWS
    EACH {
        float a[N][3], b[N][3], *list[N];
        float ONE(a_b[N][3]), ONE(b_b[N][3]), ONE(seed);
        POINTER(float, list_b[N]);
        for (int i = 0; i < N; i++) {
            list[i] = b[i];
            list_b[i] = b_b[i];
            for (int j = 0; j < 3; j++) {
                a[i][j] = 0.2f * (float)(i + j);
                b[i][j] = 0.7f - 0.1f * (float)(i * j);
                SET(a_b[i][j], 0.0f);
                SET(b_b[i][j], 0.0f);
            }
        }
        SET(seed, 1.0f);
        CALL(rows_b)(a, a_b, list, list_b, N, seed);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < 3; j++) {
                SAY(a_b[i][j]);
                SAY(b_b[i][j]);
            }
    }
    print("rows");
#endif
#ifdef MIXED
    EACH {
        double x[N] = {0.3, -0.2, 0.5, 0.7}, y[N] = {1.1, 0.4, -0.6, 0.2};
        double ONE(x_b[N]), ONE(y_b[N]), ONE(seed);
        for (int i = 0; i < N; i++) {
            SET(x_b[i], 0.0);
            SET(y_b[i], 0.1 * i);
        }
        SET(seed, 1.0);
        CALL(mixed_b)(N, 5, x, x_b, y, y_b, seed);
        for (int i = 0; i < N; i++) {
            SAY(x_b[i]);
            SAY(y_b[i]);
        }
    }
    print("mixed");
#endif
#ifdef TAILS
    EACH {
        double x[N] = {0.5, 1.5, 0.25, 0.75}, ONE(x_b[N]), ONE(seed);
        for (int i = 0; i < N; i++) SET(x_b[i], 0.5);
        SET(seed, 1.0);
        CALL(tails_b)(N, x, x_b, seed);
        for (int i = 0; i < N; i++) SAY(x_b[i]);
    }
    print("tails");
#endif
#ifdef POLES
    /* Infinite derivatives that nobody asks for. */
    EACH {
        double x[N] = {0.0, 1.5, 0.25, 0.0}, mask[N] = {0.0, 1.0, 2.0, 0.0}, ONE(x_b[N]), ONE(seed);
        for (int i = 0; i < N; i++) SET(x_b[i], 0.5);
        SET(seed, 1.0);
        CALL(poles_b)(N, x, x_b, mask, seed);
        for (int i = 0; i < N; i++) SAY(x_b[i]);
    }
    print("poles");
#endif
    return 0;
}
