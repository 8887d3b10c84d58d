/* adBuffer.h: what the kit with buffers by type (2020 and before) declared beside adStack.h. */
#ifndef ADBUFFER_LOADED
#define ADBUFFER_LOADED 1

#include "adStack.h"

#ifdef __cplusplus
extern "C" {
#endif

void addBufferTraffic(int bytes);
void adStack_showTraffic(void);
void showTotalTraffic(unsigned long long bytes);
void showStackAndBuffers(char *locationName);
void showStackAndBuffersSize(int label);

/* For a program that replaces the stack and keeps buffers of its own. */
void startStackRepeat1(void);
void startStackRepeat2(void);
void resetStackRepeat1(void);
void resetStackRepeat2(void);
void endStackRepeat(void);
void showStack(void);

#ifdef __cplusplus
}
#endif

#endif
