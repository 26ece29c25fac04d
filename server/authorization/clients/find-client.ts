import type { Database } from '#db/database.ts'
import { lookUpClient } from './client.store.ts'
import type { Client } from './client.ts'
import { documentAddress, looksLikeAddress } from './document-address.ts'
import type { DocumentClients } from './document-clients.ts'
import { UnreadDocument } from './unread-document.ts'

const client_id_characters_max = 2_048

/** A client with the time of the database at which it was found. */
export type FoundClient = Client & { now: string }

/** Finds the client of an id, of whichever kind; a document that is not fresh is read again first. */
export async function findClient(
  { database, documents }: { database: Database; documents: DocumentClients },
  client_id: string,
  network: string,
): Promise<FoundClient | undefined> {
  if (client_id.length > client_id_characters_max || client_id.includes('\0')) return undefined
  const isDocument = looksLikeAddress(client_id)
  if (isDocument && !documentAddress(client_id)) return undefined
  const known = await lookUpClient(database, client_id)
  if (!isDocument || known?.document_fresh) return known
  if (!known) documents.countNew(network)
  const refreshed = await documents.refresh(client_id)
  if (refreshed === 'kept') return lookUpClient(database, client_id)
  // Its own server is away: what it last said holds for a day.
  if (known?.document_usable) return known
  throw new UnreadDocument(client_id, refreshed === 'refused' ? 'unusable' : refreshed)
}
