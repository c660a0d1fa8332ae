/** The value of a map's own key. A property may be named `toString`, so that the prototype must never answer. */
export function getOwn<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}
