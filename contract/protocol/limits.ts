/** Version of the response envelope. */
export const ENVELOPE_VERSION = '1.0.0' as const
/** Version of the lifecycle request and response, and `protocolVersion` of a compiled authorization. */
export const LIFECYCLE_VERSION = '6.0.0' as const
/** Version of access resolution. */
export const ACCESS_VERSION = '4.0.0' as const
/** Version of what plugins read beside access: their authorization and the events of a target. */
export const PLUGIN_READS_VERSION = '1.0.0' as const

/** The protected property: only the runtime writes it, in an INSTALL. */
export const INSTANCE_REF_PROPERTY = 'instanceRefProperty' as const

export const ERROR_CODE_MAX = 128
/** Counted in Unicode characters, like `maxLength` in JSON Schema. */
export const MESSAGE_MAX = 512
/** A key, a locator segment, an identifier, a property name. */
export const KEY_MAX = 128

export const TITLE_MAX = 256
export const DESCRIPTION_MAX = 4096
export const GROUP_MAX = 128

// Limits of request bodies. The BFF and the runtime read bodies with the same function, which applies these limits.

/** Maximum size of a body in bytes, unless the endpoint accepts large bodies. */
export const BODY_BYTES_MAX = 256 * 1024
/** Maximum size in bytes for endpoints that take a manifest or property values. */
export const LARGE_BODY_BYTES_MAX = 1024 * 1024
/** Maximum nesting depth of a body: a business value of depth 128, or a schema of depth 32, plus our own levels. */
export const BODY_DEPTH_MAX = 160
/** Maximum number of object keys in a body: about as many as a large body has room for. */
export const BODY_KEYS_MAX = 50_000
/** Maximum size of the schemas of a manifest in characters, with the shared definitions in every schema that needs them. */
export const SCHEMAS_MAX = 2 * 1024 * 1024
/** Maximum size of the different patterns of a manifest together, in characters: each is analyzed, which can take a tenth of a second. */
export const PATTERNS_MAX = 16 * 1024
/** Maximum length of a string or key in UTF-8 bytes. */
export const STRING_BYTES_MAX = 256 * 1024

export interface StrictJsonLimits {
  maxDepth: number
  /** Object keys in the whole document. */
  maxKeys: number
  /** UTF-8 bytes of one string. */
  maxStringBytes: number
}

/** Of every JSON text that a person, a file or a plugin sends, unless its reader says otherwise. */
export const STRICT_JSON_LIMITS: StrictJsonLimits = {
  maxDepth: BODY_DEPTH_MAX,
  maxKeys: BODY_KEYS_MAX,
  maxStringBytes: STRING_BYTES_MAX,
}

/** Maximum number of details of a failure; a body may have as many problems as keys. */
export const DETAILS_MAX = 200

/** Maximum size in bytes of a file with JSON or YAML that a person opens in the console. */
export const FILE_BYTES_MAX = 5 * 1024 * 1024
/** Maximum number of object keys in such a file, and in the JSON document beside the form. */
export const FILE_KEYS_MAX = 500_000

/** Maximum size of a plugin's response in bytes. */
export const ANSWER_BYTES_MAX = 1024 * 1024
