/** One thing that is wrong: `path` is a JSON pointer to it, `message` says what is allowed and never what was given. */
export type Problem = { path: string; keyword: string; message: string }
