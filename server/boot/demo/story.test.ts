import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMoney, isCurrency } from '#core/values.ts'
import { holdInvariants } from '#test/invariants.ts'
import { inOrganization, type TestService, useTestService } from '#test/service.ts'
import { steps } from './fill.ts'
import { inOrder, play, type Step } from './story.ts'

const step = (on: string, kind: Step['kind'], operation: string): Step => ({ on, kind, operation })

test('steps run by their times; of one date from nine on, a minute apart, in the order of their kinds', () => {
  const told = [
    step('2026-03-03', 'contracts', 'fourth'),
    step('2026-03-04', 'people', 'last'),
    step('2026-03-03T09:01:00Z', 'contracts', 'third'),
    step('2026-03-03', 'people', 'first'),
    step('2026-03-03', 'people', 'second'),
    step('2026-03-03T06:00:00Z', 'rest', 'earliest'),
  ]
  assert.deepEqual(
    inOrder(told).map(({ operation, at }) => `${operation} ${at.slice(8, 16)}`),
    ['earliest 03T06:00', 'first 03T09:00', 'second 03T09:01', 'third 03T09:01', 'fourth 03T09:02', 'last 04T09:00'],
  )
})

test('a step that names what no step before has made stops the story', async () => {
  const early = { ...step('2026-03-03', 'contracts', 'contracts.sign'), input: { contract_id: '@C01' } }
  await assert.rejects(
    play([early], async () => ({})),
    /no step before has made @C01/,
  )
})

type Row = Record<string, string | null>

const nouns = [
  ...['legal-entities', 'departments', 'teams', 'working-locations', 'custom-fields', 'people', 'contracts'],
  ...['time-off-policies', 'time-offs', 'timesheets', 'invoice-adjustments', 'invoices', 'payments'],
  ...['ledger/accounts', 'ledger/transactions'],
] as const
type Noun = (typeof nouns)[number]

/** Resets a sandbox, and reads what the story has made of it: the rows of each noun, and of each contract. */
async function told(t: TestService) {
  assert.equal((await t.call('POST', '/sandbox/reset', { body: {} })).status, 200)
  const list = async (path: string) => (await t.call('GET', `/${path}?limit=100`)).body.data as Row[]
  const found = await Promise.all(nouns.map(async (noun) => [noun, await list(noun)] as const))
  // The cast holds because there is an entry of each noun.
  const rows = Object.fromEntries(found) as Record<Noun, Row[]>
  const ofContracts = async (name: string) =>
    (await Promise.all(rows.contracts.map(({ id }) => list(`contracts/${id}/${name}`)))).flat()
  return { ...rows, amendments: await ofContracts('amendments'), cycles: await ofContracts('payment-cycles') }
}

async function useSandbox(service: Awaited<ReturnType<typeof useTestService>>) {
  return inOrganization(service, await service.createOrganization({ is_sandbox: true }))
}

const keysByStatus = (rows: Row[], key: (row: Row) => string | null | undefined = ({ external_id }) => external_id) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(rows, ({ status }) => status ?? '')).map(([status, of = []]) => [
      status,
      of.map(key).sort().join(' '),
    ]),
  )

test('on 15 April everything stands as the story says', async (t) => {
  const sandbox = await useSandbox(await useTestService(t))
  const { contracts, amendments, people, ...rows } = await told(sandbox)
  assert.deepEqual(keysByStatus(contracts), {
    pending: 'C12 C13',
    cancelled: 'C14',
    rejected: 'C15',
    active: 'C01 C02 C03 C04 C05 C08 C09 C10',
    terminated: 'C07 C11',
    completed: 'C06',
  })
  const ended = Object.fromEntries(contracts.map(({ external_id, ended_at }) => [external_id, ended_at]))
  assert.deepEqual(
    [ended.C06, ended.C07, ended.C11],
    ['2026-03-27T23:00:00.000Z', '2026-03-21T03:00:00.000Z', '2026-03-20T18:00:00.000Z'],
  )
  assert.deepEqual(keysByStatus(people), {
    pending: 'kira',
    active: 'ada bruno dalia emeka goro hana jonas',
    offboarding: 'chiara',
    inactive: 'freja ines liam',
  })
  assert.deepEqual(
    keysByStatus(amendments, ({ effective_date }) => String(effective_date)),
    {
      initial: '2026-05-04',
      pending: '2026-05-01',
      approved: '2026-07-01',
      active: '2026-04-01',
      declined: '2026-04-01 null',
      outdated: '2026-02-16',
    },
  )
  assert.deepEqual(keysByStatus(rows.timesheets), {
    pending: 'T06',
    approved: 'T09',
    declined: 'T05',
    invoiced: 'T01 T02 T03 T04 T07 T08',
    paid: 'T10 T11',
    not_payable: 'T12',
  })
  assert.deepEqual(
    keysByStatus(rows['invoice-adjustments'], ({ external_id, date }) => external_id ?? `copy-of-${date}`),
    {
      pending: 'X05 X10',
      approved: 'X08 copy-of-2026-04-30',
      declined: 'X07',
      invoiced: 'X02 X04 X06 X09 X11 copy-of-2026-03-31',
      paid: 'X01 X03',
      not_payable: 'X12',
    },
  )
  assert.deepEqual(
    keysByStatus(rows['time-offs'], ({ person_email, days }) => `${person_email?.split('@')[0]}:${days}`),
    { requested: 'hana:5', approved: 'jonas:10', rejected: 'freja:1', used: 'ada:5', cancelled: 'bruno:1' },
  )
  assert.deepEqual(
    keysByStatus(
      rows.cycles.filter(({ contract_id }) => contract_id === contracts.find((of) => of.external_id === 'C09')?.id),
      ({ end_date }) => end_date,
    ),
    {
      invoiced: '2026-03-08 2026-03-15 2026-03-29',
      skipped: '2026-03-22 2026-04-05 2026-04-12',
      active: '2026-04-19',
      upcoming: '2026-04-26',
    },
  )
  await holdInvariants(sandbox, sandbox.organization.id)
})

test('the invoices, payments and balances of the story are those of its page, to the cent', async (t) => {
  const sandbox = await useSandbox(await useTestService(t))
  const { contracts, invoices, payments, ...rows } = await told(sandbox)
  const keys = new Map(contracts.map(({ id, external_id }) => [id, external_id]))
  const words = (...parts: unknown[]) => parts.filter((part) => part !== '').join(' ')
  assert.deepEqual(
    invoices
      .map(({ number, contract_id, total, currency, status, is_overdue, is_off_cycle }) =>
        words(
          ...[number?.slice(-2), keys.get(contract_id ?? ''), currency, total, status],
          ...[is_overdue ? 'overdue' : '', is_off_cycle ? 'off-cycle' : ''],
        ),
      )
      .sort(),
    [
      '01 C03 EUR 2740.84 paid',
      '02 C06 DKK 21000.00 paid',
      '03 C04 EUR 1800.00 paid',
      '04 C05 KWD 882.607 processing overdue',
      '05 C06 DKK 21000.00 paid',
      '06 C08 JPY 864000 pending overdue',
      '07 C03 EUR 5818.26 paid',
      '08 C04 EUR 1800.00 paid',
      '09 C07 CLP 1850000 pending overdue',
      '10 C09 EUR 1732.50 processing overdue',
      '11 C06 DKK 21000.00 pending overdue',
      '12 C11 USD 4365.00 paid',
      '13 C04 EUR 1680.00 pending overdue',
      '14 C09 EUR 1800.00 processing overdue',
      '15 C07 CLP 1228548 pending overdue',
      '16 C11 USD 1800.00 paid',
      '17 C03 EUR 240.00 cancelled off-cycle',
      '18 C05 KWD 950.500 processing overdue',
      '19 C06 DKK 21000.00 pending overdue',
      '20 C09 EUR 3431.25 processing overdue',
      '21 C08 JPY 960000 pending overdue',
      '22 C03 EUR 5744.40 pending',
      '23 C04 EUR 1800.00 pending overdue',
      '24 C10 USD 2500.00 pending',
    ],
  )
  assert.deepEqual(
    payments.map(({ external_id, number, currency, total, fee, status }) =>
      words(external_id, number, currency, total, fee, status),
    ),
    [
      'P7 PAY-2026-000007 JPY 1824000 0 cancelled',
      'P6 PAY-2026-000006 KWD 1833.107 0.000 pending_approval',
      'P5 PAY-2026-000005 EUR 6963.75 0.00 processing',
      'P4 PAY-2026-000004 USD 6165.00 12.00 completed',
      'P3 PAY-2026-000003 CLP 3078548 0 failed',
      'P2 PAY-2026-000002 DKK 42000.00 0.00 completed',
      'P1 PAY-2026-000001 EUR 12159.10 4.50 completed',
    ],
  )
  assert.equal(rows['ledger/transactions'].length, 34)
  assert.deepEqual(signedBalances(rows['ledger/accounts']), [
    'CLP reimbursed_expenses 35000',
    'CLP service_cost 3043548',
    'CLP worker_payable -3078548',
    'DKK cash -42000.00',
    'DKK service_cost 84000.00',
    'DKK worker_payable -42000.00',
    'EUR cash -12163.60',
    'EUR payment_fees 4.50',
    'EUR payments_in_transit -6963.75',
    'EUR reimbursed_expenses 329.90',
    'EUR service_cost 25786.27',
    'EUR vat_receivable 2231.08',
    'EUR worker_payable -9224.40',
    'JPY service_cost 1824000',
    'JPY worker_payable -1824000',
    'KWD service_cost 1833.107',
    'KWD worker_payable -1833.107',
    'USD cash -6177.00',
    'USD payment_fees 12.00',
    'USD service_cost 8665.00',
    'USD worker_payable -2500.00',
  ])
})

/** Balances by currency and account: debits are positive, zeros left out, the accounts of all workers added up. */
function signedBalances(accounts: Row[]) {
  const sums = new Map<string, bigint>()
  for (const { code, currency, normal_side, balance } of accounts) {
    const minor = BigInt(String(balance).replace('.', ''))
    const name = `${currency} ${code}`
    sums.set(name, (sums.get(name) ?? 0n) + (normal_side === 'debit' ? minor : -minor))
  }
  return [...sums]
    .flatMap(([name, sum]) => {
      const currency = name.slice(0, 3)
      assert.ok(isCurrency(currency))
      return sum === 0n ? [] : [`${name} ${formatMoney(sum, currency)}`]
    })
    .sort()
}

test('the story is the same each time, by the ids of all its rows', async (t) => {
  const service = await useTestService(t)
  const idsOf = (rows: object) => Object.values(rows).flatMap((of: Row[]) => of.map(({ id }) => id))
  const [first, second] = [await useSandbox(service), await useSandbox(service)]
  const ids = idsOf(await told(first))
  assert.deepEqual(idsOf(await told(second)), ids)
  // The setting by which a second person approves, left behind by the first story, does not matter.
  assert.deepEqual(idsOf(await told(second)), ids)
})

test('every step calls an operation that there is', async (t) => {
  const { registry } = (await useTestService(t)).runtime
  for (const { operation } of steps) assert.ok(registry.operation(operation))
})
