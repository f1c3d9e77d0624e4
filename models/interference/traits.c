#include "models/interference/interference.h"

#include <math.h>

#include "partita/random.h"

/* 0.68: latent u against measured utilisation on RTX 3090 pairs, correlation .86. */
double pt_u_of_utilisation(double utilisation, enum pt_u_from from)
{
    return from == PT_U_FROM_068_UTIL ? 0.68 * utilisation : utilisation;
}

double pt_u_on_faster(double u, double speed, double floor)
{
    if (speed <= 1) return u;
    double least = floor * u;
    double scaled = u / speed;
    if (scaled < least) scaled = least;
    return scaled < 1 ? scaled : 1;
}

double pt_kappa_to_g(double kappa, double g)
{
    return pt_round40(pow(kappa, g));
}
