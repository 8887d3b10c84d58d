/* Bundle adjustment: cameras see points; the weighted sum of squared distances between where a point is seen and where
 * the camera's model puts it. */
#include <math.h>

/* What describes a camera: its rotation (an axis times an angle), its place, focal length, centre of the picture,
 * distortion. */
enum { ROTATION = 0, PLACE = 3, FOCAL = 6, CENTRE = 7, DISTORTION = 9, CAMERA = 11 };

static void rotate(const double *axis, const double *x, double *turned) {
    const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (square > 0.0) {
        const double angle = sqrt(square), cosine = cos(angle), sine = sin(angle);
        const double w[3] = {axis[0] / angle, axis[1] / angle, axis[2] / angle};
        const double along = (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) * (1.0 - cosine);
        turned[0] = x[0] * cosine + (w[1] * x[2] - w[2] * x[1]) * sine + w[0] * along;
        turned[1] = x[1] * cosine + (w[2] * x[0] - w[0] * x[2]) * sine + w[1] * along;
        turned[2] = x[2] * cosine + (w[0] * x[1] - w[1] * x[0]) * sine + w[2] * along;
    } else {
        turned[0] = x[0] + axis[1] * x[2] - axis[2] * x[1];
        turned[1] = x[1] + axis[2] * x[0] - axis[0] * x[2];
        turned[2] = x[2] + axis[0] * x[1] - axis[1] * x[0];
    }
}

static void project(const double *camera, const double *point, double *picture) {
    double from[3], seen[3];
    for (int i = 0; i < 3; i++) from[i] = point[i] - camera[PLACE + i];
    rotate(&camera[ROTATION], from, seen);
    const double a = seen[0] / seen[2], b = seen[1] / seen[2];
    const double square = a * a + b * b;
    const double bend = 1.0 + camera[DISTORTION] * square + camera[DISTORTION + 1] * square * square;
    picture[0] = a * bend * camera[FOCAL] + camera[CENTRE];
    picture[1] = b * bend * camera[FOCAL] + camera[CENTRE + 1];
}

double bundle(int observations, const int *camera_of, const int *point_of, const double *found, const double *camera,
              const double *point, const double *weight) {
    double sum = 0.0;
    for (int o = 0; o < observations; o++) {
        double picture[2];
        project(&camera[CAMERA * camera_of[o]], &point[3 * point_of[o]], picture);
        const double dx = weight[o] * (picture[0] - found[2 * o]), dy = weight[o] * (picture[1] - found[2 * o + 1]);
        sum += dx * dx + dy * dy;
    }
    return 0.5 * sum;
}
