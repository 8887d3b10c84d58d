/* The inner 2 x 3 points of a field of 4 x 5; C arrays vary fastest in their last index. */
double h[4][5], before[4][5];
const int64_t extents[2] = {3, 2}, strides_bytes[2] = {sizeof h[0][0], sizeof h[0]};
for (int i = 0; i < 20; i++) {
    h[i / 5][i % 5] = i;
}
memcpy(before, h, sizeof h);
adtape_push_section(adtape_self(), ADTAPE_TYPE_F64, &h[1][1], 2, extents, strides_bytes);
for (int i = 1; i < 3; i++) {
    for (int j = 1; j < 4; j++) {
        h[i][j] = -1.0;
    }
}
adtape_pop_section(adtape_self(), ADTAPE_TYPE_F64, &h[1][1], 2, extents, strides_bytes);
assert(memcmp(before, h, sizeof h) == 0);
