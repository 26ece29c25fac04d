import createClient from 'openapi-fetch'
import type { components, paths } from './stint.d.ts'

const { STINT_URL = '', STINT_TOKEN = '' } = process.env
const client = createClient<paths>({ baseUrl: STINT_URL, headers: { Authorization: `Bearer ${STINT_TOKEN}` } })

const created = await client.POST('/contracts', {
  body: {
    type: 'fixed_rate',
    title: 'Made by openapi-typescript',
    worker: { first_name: 'Jonas', last_name: 'Weber', email: 'typescript@harbour.example', country: 'DE' },
    start_date: '2026-12-01',
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
  },
})
if (!created.data) throw new Error(JSON.stringify(created.error))
const contract: components['schemas']['Contract'] = created.data

const listed = await client.GET('/contracts', { params: { query: { limit: 100, types: ['fixed_rate'] } } })
if (!listed.data?.data.some(({ id }) => id === contract.id)) throw new Error('the contract is not in the list')

const refused = await client.GET('/contracts/{contract_id}', {
  params: { path: { contract_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' } },
})
if (refused.error?.code !== 'not_found') throw new Error('an unknown contract is not refused')

console.log(`created ${contract.title}, found it, refused ${refused.error.status}`)
