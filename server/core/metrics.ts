import { Registry } from 'prom-client'

/** The one registry of this process; rooms add their own instruments to it. Labels never name an organization. */
export const metrics = new Registry()
