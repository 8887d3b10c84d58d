struct cell {
    double level;
    int32_t wet;
} cell = {0.5, 1}, saved = cell;
adtape_push_bytes(adtape_self(), &cell, sizeof cell);
cell.level = 0.0;
cell.wet = 0;
adtape_pop_bytes(adtape_self(), &cell, sizeof cell);
assert(cell.level == saved.level && cell.wet == saved.wet);
