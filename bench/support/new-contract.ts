import type { HttpsClient } from './https-client.ts'

/**
 * Makes inputs of `contracts.create` for an organization that has contracts: each with another title and the next of its
 * workers, because a creation locks its worker.
 */
export async function newContracts(client: HttpsClient): Promise<() => Record<string, unknown>> {
  const page = JSON.parse(String(await client.call('GET', '/rest/v2/people?limit=100'))) as { data: { id: string }[] }
  let made = 0
  return () => {
    made += 1
    return {
      type: 'fixed_rate',
      title: `Frontend development ${made}`,
      worker_id: page.data[made % page.data.length]?.id,
      country: 'DE',
      start_date: new Date().toISOString().slice(0, 10),
      compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
    }
  }
}
