export const installations = {
  title: 'Installations',
} as const
