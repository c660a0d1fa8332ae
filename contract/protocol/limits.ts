/** Version of the response envelope. */
export const ENVELOPE_VERSION = '1.0.0' as const
/** Version of the lifecycle request and response, and `protocolVersion` of a compiled authorization. */
export const LIFECYCLE_VERSION = '6.0.0' as const
/** Version of the access resolution. */
export const ACCESS_VERSION = '4.0.0' as const

/** The protected property: the runtime writes it at INSTALL, and nobody else ever. */
export const INSTANCE_REF_PROPERTY = 'instanceRefProperty' as const

export const ERROR_CODE_MAX = 128
/** Counted in Unicode characters, as JSON Schema counts. */
export const MESSAGE_MAX = 512
/** A key, a locator segment, an identifier, a property name. */
export const KEY_MAX = 128

export const TITLE_MAX = 256
export const DESCRIPTION_MAX = 4096
export const GROUP_MAX = 128

/** Nesting of a property's schema. */
export const SCHEMA_DEPTH_MAX = 32
/** Nesting of a business value. */
export const VALUE_DEPTH_MAX = 128
/** Length of one regular expression in a schema. */
export const PATTERN_MAX = 1024
