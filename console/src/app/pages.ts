import { pages as account } from './account/pages.ts'
import { pages as adjustments } from './adjustments/pages.ts'
import { pages as apps } from './apps/pages.ts'
import { pages as audit } from './audit/pages.ts'
import { pages as contracts } from './contracts/pages.ts'
import { pages as events } from './events/pages.ts'
import { pages as home } from './home/pages.ts'
import { pages as invoices } from './invoices/pages.ts'
import { pages as ledger } from './ledger/pages.ts'
import { pages as members } from './members/pages.ts'
import { pages as oauth } from './oauth/pages.ts'
import type { PageEntry } from './page-entry.ts'
import { pages as payments } from './payments/pages.ts'
import { pages as people } from './people/pages.ts'
import { pages as provisioning } from './provisioning/pages.ts'
import { pages as requests } from './requests/pages.ts'
import { pages as settings } from './settings/pages.ts'
import { pages as structure } from './structure/pages.ts'
import { pages as time_off } from './time-off/pages.ts'
import { pages as timesheets } from './timesheets/pages.ts'
import { pages as tokens } from './tokens/pages.ts'
import { pages as webhooks } from './webhooks/pages.ts'

const work = [people, contracts, timesheets, adjustments, time_off]
const money = [invoices, payments, ledger]
const integration = [webhooks, events, requests]
const access = [tokens, oauth, apps]
const organization = [members, provisioning, structure, audit, settings, account]

/** Every page of every area, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  ...home,
  ...[...work, ...money, ...integration, ...access, ...organization].flat(),
]
