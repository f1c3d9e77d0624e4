/* Sharing as products do it: a mode and values for its parameters under a product's name.
 *
 * A preset is nothing but a shorthand: `sharing: {preset: hami}` means its mode and its values, any
 * of which another key overrides. What it does not name is independent of it: placement and order
 * are the policy's, quotas the tenants'.
 */
#ifndef PT_MODELS_UNITS_PRESETS_H
#define PT_MODELS_UNITS_PRESETS_H

#define PT_PRESET_VALUES_MAX 8

struct pt_preset {
    const char *name;    /* "kai" */
    const char *mode;    /* of pt_units */
    const char *summary; /* what the product does, and what of it is not known or not modelled */
    const char *source;
    struct {
        const char *key, *value;    /* of the mode's parameters, as a user would write them */
    } values[PT_PRESET_VALUES_MAX]; /* a NULL key ends them */
};

/* A row without a name ends them. */
extern const struct pt_preset pt_presets[];

/* The names alone, NULL-terminated, in the same order. */
extern const char *const pt_preset_names[];

/* The preset of this name, or NULL. */
const struct pt_preset *pt_preset_find(const char *name);

/* What the preset gives to a key of `sharing` (`mode` too); NULL = nothing. */
const char *pt_preset_value(const struct pt_preset *preset, const char *key);

#endif
