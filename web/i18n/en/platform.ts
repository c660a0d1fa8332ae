/** Sentences of the platform by reason. English needs none: the runtime sends each in English beside its reason. */
export const platform: Readonly<Record<string, string>> = {}
