import { SignatureError, verifyWebhook } from '../../sdk/src/webhooks.ts'
import { type Command, exitStatus, print, requiredFlag } from '../command.ts'

export const verify: Command = {
  usage: '--key <whsec_…> --signature <hex> < body',
  options: {
    'key <whsec_…>': 'The signing key of the subscription, or the one that `stint listen` told.',
    'signature <hex>': 'The header x-service-signature.',
  },
  about: `The body is read from standard input and must be the raw bytes: one line break more is another body. Nothing is sent.`,
  examples: ['verify --key whsec_… --signature 9f86d081… < body.json'],
  exits: { [exitStatus.failed]: 'the signature is not of this key and body' },
  async run(flags) {
    const [key, signature] = [requiredFlag(flags, 'key'), requiredFlag(flags, 'signature')]
    const body = Buffer.concat(await process.stdin.toArray())
    try {
      const headers = { 'x-service-signature': signature }
      const { event_type, event_id } = await verifyWebhook(body, headers, key, { scheme: 'service' })
      print(flags, { valid: true, event_type, event_id }, [`valid: ${event_type} ${event_id}`])
      return exitStatus.ok
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error
      print(flags, { valid: false, code: error.code }, [`not valid: ${error.message} (${body.length} bytes were read)`])
      return exitStatus.failed
    }
  },
}
