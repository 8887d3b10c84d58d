/* Every report of every vintage, on a stack of known contents; tests/outside/kit.rs reads the lines. */
#include <stdio.h>
#include <string.h>

#include "calls.h"

void adstack_showpeaksize_(void);
void adstack_showpeaksize__(void);
void adstack_showtotaltraffic_(void);
void adstack_showstacksize_(int *label);
void adstack_showstack_(char *name, size_t length);
void showerrorcontext_(void);
int locstrb_(void);
int locstro_(void);
int stackisthreadsafe_(void);
void assertsafestack_(void);
void adstack_startrepeat_(void);
void adstack_resetrepeat_(void);
void adstack_endrepeat_(void);
void addftraffic_(int *bytes);
void addftraffic(int bytes);
void showtotaltraffic_(unsigned long long *bytes);
void adstack_showtraffic_(void);
void showstack_(void);
void showstacksize_(int *i4, int *i8, int *r4, int *r8, int *c8, int *c16, int *s1, int *bit, int *ptr, int *label);
void showstackandbuffers_(char *name, size_t length);
void showstackandbufferssize_(int *label);
void printbigbytes(long blocks, long block, long bytes);
void printctraffic_(void);
void printftrafficinc_(long *blocks, int *block, int *bytes);
void printtotaltraffic_(long *blocks, int *block, int *bytes);
void printtraffic(void);
void printtraffic_(void);
void printtopplace_(void);
void printtopplacenum_(int *label);
void printstackmax_(void);
void printlookingplace_(void);
void showrecentcstack_(void);
void showallstacks(void);
void showallstacks_(void);
void getnbblocksinstack_(int *count);
void getbigcsizes_(int *blocks, int *rest, int *look_blocks, int *look_rest);
void printbuffertop(void);
void printbuffertop_(void);
void printallbuffers(void);
void printallbuffers_(void);
int smallstacksize_(void);

int main(void) {
    static double x[200000];
    int label = 7, blocks, rest, look_blocks, look_rest, one = 1, added = 1000, block = 1000000, n = 1000;
    long long_blocks = 3;
    unsigned long long more = 5;
    printf("locstr %d.%d\n", locstrb_(), locstro_());
    adStack_showStack("empty");
    pushReal8Array(x, 200000);
    pushControl3b(5);
    adStack_showPeakSize();
    adstack_showpeaksize_();
    adstack_showpeaksize__();
    adStack_showTotalTraffic();
    adstack_showtotaltraffic_();
    adStack_showStackSize(3);
    printf("\n");
    adstack_showstacksize_(&label);
    printf("\n");
    printf("size %llu\n", (unsigned long long)adStack_getCurrentStackSize());
    printf("locstr %d.%d\n", locstrb_(), locstro_());
    adStack_showStack("here");
    adstack_showstack_("there and more", 5);
    adstack_startrepeat_();
    showErrorContext();
    showerrorcontext_();
    adstack_resetrepeat_();
    adstack_endrepeat_();
    printf("safe %d %d\n", stackIsThreadSafe(), stackisthreadsafe_());
    assertSafeStack();
    assertsafestack_();

    addBufferTraffic(500);
    addftraffic(400);
    addftraffic_(&added);
    adStack_showTraffic();
    adstack_showtraffic_();
    showTotalTraffic(5);
    showtotaltraffic_(&more);
    showStack();
    showstack_();
    showStackSize(1, 2, 3, 4, 5, 6, 7, 8, 9, 0);
    showstacksize_(&one, &one, &one, &one, &one, &one, &one, &one, &one, NULL);
    showStackAndBuffers("both");
    showstackandbuffers_("both", 4);
    showStackAndBuffersSize(12);
    showstackandbufferssize_(&label);

    printbigbytes(3, 1000000, 5);
    printf("\n");
    printctraffic_();
    printftrafficinc_(&long_blocks, &block, &added);
    printtotaltraffic_(&long_blocks, &block, &added);
    printtraffic();
    printtraffic_();
    printtopplace_();
    printtopplacenum_(&label);
    printstackmax_();
    lookreal8array_(x, &n); /* below the three bits, which do not count before their word is full */
    printlookingplace_();
    getbigcsizes_(&blocks, &rest, &look_blocks, &look_rest);
    printf("sizes %d %d %d %d\n", blocks, rest, look_blocks, look_rest);
    resetadlookstack_();
    printlookingplace_();
    showrecentcstack_();
    showallstacks();
    showallstacks_();
    getnbblocksinstack_(&blocks);
    printf("blocks %d\n", blocks);
    printbuffertop();
    printbuffertop_();
    printallbuffers();
    printallbuffers_();
    printf("buffers %d\n", smallstacksize_());
    popControl3b(&label);
    popReal8Array(x, 200000);
    return 0;
}
