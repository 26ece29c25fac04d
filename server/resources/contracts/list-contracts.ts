import { refuseUnknownFilters } from '#core/lists/references.ts'
import { defineOperation } from '#core/operation.ts'
import { referenceNotFound } from '#core/problems.ts'
import {
  CalendarDate,
  Closed,
  Country,
  CurrencyCode,
  Email,
  ExternalId,
  Id,
  PageInput,
  PageOf,
  SetOf,
  Text,
  Type,
} from '#core/schema/schema.ts'
import { legalEntityExists } from '#resources/legal-entities/index.ts'
import { personExists } from '#resources/people/index.ts'
import { teamExists } from '#resources/teams/index.ts'
import { contractList } from './contract.store.ts'
import { contract_statuses } from './contract.ts'
import { Contract, contractOf } from './contract-schema.ts'
import { contract_types } from './terms.ts'

export const listContracts = defineOperation({
  id: 'contracts.list',
  summary: 'List contracts',
  method: 'GET',
  path: '/contracts',
  scopes: ['contracts:read'],
  input: Closed({
    ...PageInput,
    statuses: Type.Optional(SetOf(Type.Enum([...contract_statuses]), { description: 'Any of these statuses.' })),
    types: Type.Optional(SetOf(Type.Enum([...contract_types]), { description: 'Any of these types.' })),
    worker_id: Type.Optional(Id),
    worker_email: Type.Optional(Email),
    team_id: Type.Optional(Id),
    legal_entity_id: Type.Optional(Id),
    countries: Type.Optional(SetOf(Country, { description: 'In any of these countries.' })),
    currencies: Type.Optional(SetOf(CurrencyCode, { description: 'Paid in any of these currencies.' })),
    external_id: Type.Optional(ExternalId),
    is_archived: Type.Optional(Type.Boolean({ description: 'In the archive, or not.' })),
    start_date_from: Type.Optional(CalendarDate),
    start_date_to: Type.Optional(CalendarDate),
    search: Type.Optional(
      Text(2, 100, {
        description: 'Beginnings of words of the title or of the worker’s name or e-mail.',
      }),
    ),
  }),
  output: PageOf(Contract),
  problems: [referenceNotFound],
  tool: {
    name: 'list_contracts',
    text: 'Find contracts by status, type, worker, country or text.',
    yields: { contract_id: 'id', legal_entity_id: 'legal_entity.id' },
  },

  async handle(filter, { caller, tx, page }) {
    const { organization_id } = caller
    const found = await page(contractList(organization_id, filter), contractOf)
    await refuseUnknownFilters(found, [
      ['worker_id', filter.worker_id, (id) => personExists(tx, organization_id, id)],
      ['team_id', filter.team_id, (id) => teamExists(tx, organization_id, id)],
      ['legal_entity_id', filter.legal_entity_id, (id) => legalEntityExists(tx, organization_id, id)],
    ])
    return found
  },
})
