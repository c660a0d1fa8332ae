/** Maximum nesting of a property's schema. */
export const SCHEMA_DEPTH_MAX = 32
/** Maximum nesting of a business value. */
export const VALUE_DEPTH_MAX = 128
/** Maximum length of one regular expression in a schema. */
export const PATTERN_MAX = 1024
