/** Stands for the address of this service in a value to type. */
export const base = '{base}'

interface Provider {
  name: string
  /** Places in the provider's pages, each with what to type or choose there; the guide has the same rows (a test compares them). */
  steps: readonly (readonly [place: string, value: string])[]
  end: string
}

export const providers: readonly Provider[] = [
  {
    name: 'Okta',
    steps: [
      [
        'Applications › Browse App Catalog',
        'SCIM 2.0 Test App (OAuth Bearer Token), or your app with SCIM as provisioning',
      ],
      ['SCIM connector base URL', base],
      ['Unique identifier field for users', 'userName'],
      [
        'Supported provisioning actions',
        'Import New Users and Profile Updates · Push New Users · Push Profile Updates · Push Groups',
      ],
      ['Authentication mode', 'HTTP Header, the token as Authorization: Bearer'],
      ['To App', 'Create Users · Update User Attributes · Deactivate Users: all on'],
    ],
    end: 'Test Connector Configuration has to show all of them supported. Then assign people or groups.',
  },
  {
    name: 'Microsoft Entra ID',
    steps: [
      ['Enterprise applications › New application › Create your own', 'Integrate any other application (Non-gallery)'],
      ['Provisioning › Mode', 'Automatic'],
      ['Tenant URL', base],
      ['Secret token', 'the token'],
      ['Mappings, users', 'as they come; matching attribute userName from userPrincipalName, externalId from objectId'],
      ['Mappings, groups', 'displayName, externalId from objectId, members'],
      ['Settings › Scope', 'Sync only assigned users and groups'],
    ],
    end: 'Test Connection, then Start provisioning.',
  },
]
