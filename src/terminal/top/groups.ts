/** Groups of a list: none, or by what series have in common. */
export const GROUPS = ['none', 'prefix', 'source', 'kind'] as const
