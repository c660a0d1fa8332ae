export const audit = {
  title: 'Audit',
} as const
