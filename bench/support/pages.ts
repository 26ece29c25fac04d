import type { HttpsClient } from './https-client.ts'

/** The address of a page of a list, found as a client finds it. */
export async function addressOfPage(client: HttpsClient, path: string, pages: number): Promise<string> {
  let url = path
  for (let page = 1; page < pages; page += 1) {
    const { cursor } = JSON.parse(String(await client.call('GET', url))) as { cursor: string | null }
    if (cursor === null) throw new Error(`there is no page ${page + 1}`)
    url = `${path}&cursor=${cursor}`
  }
  return url
}
