import { randomBase62 } from '#identity/token-format.ts'

/** About 131 random bits: it is no secret, but nobody meets another's by trying. */
export const newClientId = () => `cli_${randomBase62(22)}`
