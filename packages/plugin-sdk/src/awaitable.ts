export type Awaitable<Value> = Value | Promise<Value>
