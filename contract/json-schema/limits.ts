/** Nesting of a property's schema. */
export const SCHEMA_DEPTH_MAX = 32
/** Nesting of a business value. */
export const VALUE_DEPTH_MAX = 128
/** Length of one regular expression in a schema. */
export const PATTERN_MAX = 1024
