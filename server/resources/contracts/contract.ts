import { anyOf, atLeast, atMost, equals, isSet, matching, words } from '#core/filters.ts'
import { externalIdInUse } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { noted, server } from '#core/schema/fields.ts'
import {
  ActorSchema,
  CalendarDate,
  Country,
  CurrencyCode,
  Email,
  ExternalId,
  Id,
  Locale,
  Nullable,
  Percent,
  type Static,
  Text,
  Timestamp,
  TimeZone,
  Type,
} from '#core/schema/schema.ts'
import { trimDecimal } from '#core/values.ts'
import { customFieldsOf } from '#resources/custom-fields/index.ts'
import { legalEntity } from '#resources/legal-entities/index.ts'
import { worker_email, worker_name, worker_reference } from '#resources/people/index.ts'
import { team } from '#resources/teams/index.ts'
import { hasWorkerWithEmail } from './contract.store.ts'
import { compensation_terms, contract_types, other_terms, termsDigest } from './terms.ts'

export const contract_statuses = ['pending', 'active', 'completed', 'terminated', 'cancelled', 'rejected'] as const
export const termination_types = ['resignation', 'termination', 'end_of_contract'] as const

const Invitation = Type.Object({
  email: Type.String({ example: 'jonas@harbour.example' }),
  locale: Locale,
  sent_at: Timestamp,
  expires_at: Timestamp,
})
export type Invitation = Static<typeof Invitation>

const Termination = {
  type: Type.Enum([...termination_types]),
  reason: Nullable(Type.String()),
  message: Nullable(Type.String()),
  completion_date: CalendarDate,
  eligible_for_rehire: Nullable(Type.Boolean()),
  requested_at: Timestamp,
  requested_by: ActorSchema,
}
const { completion_date: _, ...StoredTermination } = Termination

/** Both stand on everything that is signed; the digest tells the pay to who guesses it. */
export const TermsVersion = Type.Integer({ minimum: 1, description: 'Counts the changes of the terms.' })
export const TermsDigest = Type.String({ description: 'SHA-256 of the canonical terms, base64url.' })

const custom = customFieldsOf('contract')
const { amount, ...other_compensation } = compensation_terms
const { start_date, end_date, ...further_terms } = other_terms

/** An agreement between the organization and one worker; states and transitions in domain rules 3.1. */
export const contract = defineResource({
  name: 'contract',
  title: 'Contract',
  table: 'contracts',
  label: 'title',
  fields: {
    id: { type: Id, ...server, example: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' },
    type: {
      type: Type.Enum([...contract_types]),
      required: true,
      fixed: true,
      about: 'What is paid: a fixed rate, reported work, milestones, a salary.',
      example: 'fixed_rate',
    },
    title: {
      type: Text(1, 200, { description: 'Name of the contract.' }),
      required: true,
      example: 'Platform engineering',
    },
    status: { type: Type.Enum([...contract_statuses]), ...server, initial: 'pending', example: 'pending' },
    status_reason: { type: Type.String(), ...noted },
    external_id: { type: ExternalId, nullable: true, example: 'C03' },
    custom_fields: custom.field,
    is_archived: { type: Type.Boolean(), computed: true },
    archived_at: { type: Timestamp, ...noted },
    ended_at: { type: Timestamp, ...noted },
    created_by: { type: ActorSchema, ...server },
    worker_id: { ...worker_reference, fixed: true },
    worker_email,
    worker_name,
    legal_entity: { refers: legalEntity, fixed: true },
    team: { refers: team, nullable: true },
    country: { type: Country, fixed: true, example: 'DE' },
    region: { type: Text(1, 10, { description: 'Part of the country: what ISO 3166-2 adds.' }), nullable: true },
    timezone: { type: TimeZone, fixed: true },
    start_date,
    end_date,
    last_day: { type: CalendarDate, nullable: true, generated: true },
    ...further_terms,
    compensation: {
      group: { amount, currency: { type: CurrencyCode, required: true, fixed: true }, ...other_compensation },
      required: true,
      about: 'What is paid, and when.',
    },
    tax: {
      group: {
        vat_rate: { type: Percent, shown: Percent, nullable: true, stored: trimDecimal },
        reverse_charge: {
          type: Type.Boolean({ description: 'The recipient owes the VAT; it is zero here.' }),
          initial: false,
        },
      },
      about: 'For invoices that are issued later.',
    },
    signatures: {
      group: {
        client_name: { type: Type.String(), ...noted },
        client_signed_at: { type: Timestamp, ...noted },
        client_signed_by: { type: ActorSchema, ...noted },
        worker_name: { type: Type.String(), ...noted, column: 'worker_sign_name' },
        worker_signed_at: { type: Timestamp, ...noted },
      },
      ...server,
    },
    invitation: { type: Invitation, ...noted },
    termination: { type: Type.Object(Termination), nullable: true, computed: true },
    terms_version: { type: TermsVersion, ...server, initial: 1 },
    terms_digest: { type: TermsDigest, category: 'compensation', computed: true },
    current_amendment_id: { type: Id, nullable: true, computed: true },
    created_at: { type: Timestamp, ...server, example: '2026-01-12T09:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
  },
  internal: {
    shown_custom_fields: custom.shown,
    // Digests of the terms that each party signed: evidence, whatever the terms become.
    client_terms_digest: { type: TermsDigest, nullable: true },
    worker_terms_digest: { type: TermsDigest, nullable: true },
    termination: { type: Type.Object(StoredTermination), nullable: true },
    completion_date: { type: CalendarDate, nullable: true },
    current_amendment_id: { type: Id, nullable: true },
  },
  compute: (row) => ({
    is_archived: row.archived_at !== null,
    termination:
      row.termination && row.completion_date !== null
        ? { ...row.termination, completion_date: row.completion_date }
        : null,
    terms_digest: termsDigest(row),
    current_amendment_id: row.status === 'active' ? row.current_amendment_id : null,
  }),
  unique: { external_id: externalIdInUse },
  filters: {
    statuses: anyOf('status', 'Any of these statuses.'),
    types: anyOf('type', 'Any of these types.'),
    worker_id: equals('worker_id'),
    worker_email: matching(Email, hasWorkerWithEmail),
    team_id: equals('team_id'),
    legal_entity_id: equals('legal_entity_id'),
    countries: anyOf('country', 'In any of these countries.'),
    currencies: anyOf('currency', 'Paid in any of these currencies.'),
    external_id: equals('external_id'),
    is_archived: isSet('archived_at', 'In the archive, or not.'),
    start_date_from: atLeast('start_date'),
    start_date_to: atMost('start_date'),
    search: words('Beginnings of words of the title or of the worker’s name or e-mail.', { person: 'worker_id' }),
  },
  words: { contract: ['title'] },
  // The first four are named by the interface specification.
  told: [
    'id',
    'worker_email',
    'status',
    'created_at',
    'type',
    'country',
    'title',
    'external_id',
    'worker_id',
    'start_date',
    'end_date',
    'last_day',
  ],
})
export type ContractRow = RowFrom<typeof contract>

/** The field of a row that belongs to a contract, whose columns are read as `contract`. */
export const contract_reference = {
  type: Id,
  refers: contract,
  joined_as: 'contract',
  example: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
} as const
