import type { Command } from '../command.ts'
import { adminCreate } from './admin-create.ts'
import { adminReset } from './admin-reset.ts'
import { configCheck, configPrint } from './config.ts'
import { keysCreate } from './keys-create.ts'
import { keysRotate, keysStatus } from './keys-rotate.ts'
import { migrateStatus, migrateUp } from './migrate.ts'
import { serve } from './serve.ts'
import { tokenCreate } from './token-create.ts'
import { webhooksCheck, webhooksRelease } from './webhooks.ts'

/** Every command, in the order of the overview. */
export const commands: readonly Command[] = [
  serve,
  adminCreate,
  adminReset,
  tokenCreate,
  migrateStatus,
  migrateUp,
  configCheck,
  configPrint,
  keysCreate,
  keysRotate,
  keysStatus,
  webhooksCheck,
  webhooksRelease,
]
