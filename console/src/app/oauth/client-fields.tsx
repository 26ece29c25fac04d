import { useState } from 'react'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt } from '../../lib/faults.ts'
import type { OauthClient } from '../../lib/nouns.ts'
import { textOf } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { SensitiveChoice } from '../sensitive-choice.tsx'
import { ScopeTable } from '../tokens/scope-table.tsx'

export const client_pointers = ['/name', '/redirect_uris', '/scopes', '/sensitive_data'] as const

/** People, the organization itself, or both: it decides which fields a client has. */
interface ActsFor {
  people: boolean
  itself: boolean
}

/** A client as it is, or what a new one begins with. */
type Begun = Partial<Pick<OauthClient, 'name' | 'redirect_uris' | 'scopes' | 'sensitive_data'>>

/** The rights of a client in a form. Those that the own role does not have are not offered, and stay as they are. */
export function useClientRights(acts: ActsFor, client?: Begun) {
  const { membership } = useMe()
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set(client?.scopes ?? []))
  const [sensitive, setSensitive] = useState<ReadonlySet<string>>(new Set(client?.sensitive_data ?? []))
  const givable = membership.scopes.filter(({ name }) => acts.itself || !name.startsWith('scim:'))
  const scopes = [...chosen].filter((name) => !name.startsWith('scim:') || acts.itself)
  return { acts, givable, chosen, choose, sensitive, setSensitive, scopes, sensitive_data: [...sensitive] }
}

interface ClientFieldsProps {
  client?: Begun
  rights: ReturnType<typeof useClientRights>
  /** True once somebody wanted to go on. */
  wasSubmitted: boolean
  error: ApiError | null
}

export function NameOfClient({ client, error }: Pick<ClientFieldsProps, 'client' | 'error'>) {
  return (
    <TextField
      label="Name"
      name="name"
      hint="People see it when the client asks them."
      required
      maxLength={150}
      autoComplete="off"
      defaultValue={client?.name}
      fault={faultAt(error, '/name')}
    />
  )
}

/** The parts of a client beside its name that can be changed later. */
export function ClientFields({ client, rights, wasSubmitted, error }: ClientFieldsProps) {
  const { acts, givable, chosen, choose, sensitive, setSensitive, scopes } = rights
  return (
    <>
      {acts.people ? (
        <TextArea
          label="Redirect addresses"
          name="redirect_uris"
          hint="One on each line. People are sent back to exactly these."
          required
          rows={3}
          spellCheck={false}
          placeholder="https://desk.example.org/callback"
          defaultValue={client?.redirect_uris?.join('\n')}
          fault={faultAt(error, '/redirect_uris')}
        />
      ) : null}
      <ScopeTable
        rights={givable}
        chosen={chosen}
        onChange={choose}
        fault={
          wasSubmitted && scopes.length === 0
            ? 'Choose at least one: a client without a scope can do nothing.'
            : faultAt(error, '/scopes')
        }
      />
      {acts.itself ? (
        <SensitiveChoice
          legend="Sensitive data"
          hint="Off: these fields are empty in every answer that it gets for the organization."
          chosen={sensitive}
          onChange={setSensitive}
        />
      ) : null}
    </>
  )
}

/** The addresses in the form, without blank lines. */
export const redirectsIn = (form: FormData) =>
  textOf(form, 'redirect_uris')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
