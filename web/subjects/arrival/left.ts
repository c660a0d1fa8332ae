/** Why a value stays as it is. `changedSince`: somebody changed it again after the save that is undone. */
export type Left = 'gone' | 'plugin' | 'sensitive' | 'required' | 'same' | 'changedSince'

/** In the order in which they are shown. */
export const LEFT: readonly Left[] = ['changedSince', 'plugin', 'sensitive', 'required', 'gone', 'same']
