export const everybody = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const

export type Role = (typeof everybody)[number]
