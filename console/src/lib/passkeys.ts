import { ApiError } from './api.ts'

/** Loaded with the first use: most visits need none of it. */
const library = () => import('@simplewebauthn/browser')

type Library = Awaited<ReturnType<typeof library>>
export type SigningOptions = Parameters<Library['startAuthentication']>[0]['optionsJSON']
export type CreationOptions = Parameters<Library['startRegistration']>[0]['optionsJSON']

/** False in browsers without passkeys, and where an address is no name (`https://127.0.0.1`). */
export const canUsePasskeys = () => typeof PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(location.hostname)

/** True where the browser offers passkeys in the field of the e-mail address by itself. */
export async function canOfferPasskeys(): Promise<boolean> {
  return canUsePasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false)
}

/** Has the person sign with a passkey. `offered`: within the list that the browser shows at the e-mail field. */
export async function signByPasskey(optionsJSON: SigningOptions, { offered = false } = {}) {
  const { startAuthentication } = await library()
  const asked = startAuthentication({ optionsJSON, useBrowserAutofill: offered })
  const { id, response } = await asked.catch(refuse)
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    ...(response.userHandle && { user_handle: response.userHandle }),
  }
}

/** Has the person make a passkey. */
export async function createPasskey(optionsJSON: CreationOptions) {
  const { startRegistration } = await library()
  const { id, response } = await startRegistration({ optionsJSON }).catch(refuse)
  const { clientDataJSON: client_data, attestationObject: attestation, transports = [] } = response
  return { id, client_data, attestation, transports }
}

/** Browsers do not tell whether the person said no or took too long. */
function refuse(thrown: unknown): never {
  const isKnown = thrown instanceof Error && thrown.name === 'InvalidStateError'
  const detail = isKnown ? 'This device has a passkey of this account already.' : 'No passkey was used. Try again.'
  throw new ApiError(0, { code: 'passkey_not_used', detail }, null)
}
