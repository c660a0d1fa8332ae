/** One problem: `path` is a JSON pointer to it, `message` says what is allowed and never repeats the value. */
export type Problem = { path: string; keyword: string; message: string }
