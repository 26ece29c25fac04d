import type { PageEntry } from '../page-entry.ts'
import { HomePage } from './home-page.tsx'

/** The first page is part of the first load. */
export const pages: readonly PageEntry[] = [{ path: '/', words: 'Home', Page: HomePage }]
