/** Where a change of the policies is kept during a sign-in. */
export const CHANGE_POLICIES = 'change-policies'
