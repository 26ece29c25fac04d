import type { PageEntry } from '../page-entry.ts'

export const pages: readonly PageEntry[] = []
