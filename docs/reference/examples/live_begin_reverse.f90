call live_begin_reverse()
