import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { DemoPerson } from './caller.ts'
import type { When } from './dates.ts'
import { jonas, ling, mira, tomas } from './people.ts'
import type { Place } from './places.ts'

export type DemoChange = [
  place: Place,
  bundleId: string,
  resource: string,
  property: string,
  value: TypedValue,
  person: DemoPerson,
  reason: string,
  when: When,
]

export const data = (value: string | number | boolean): TypedValue => ({ '@type': 'Data', value })

/** The first saves. */
export const CHANGES: readonly DemoChange[] = [
  [
    'europe',
    'crm-suite',
    'MODULE/crm-mail',
    'smtpPort',
    data(465),
    ling,
    'The provider closes port 587 on Friday',
    { daysAgo: 8, time: '10:12' },
  ],
  [
    'europe',
    'crm-suite',
    'MODULE/crm-core',
    'defaultCurrency',
    data('CHF'),
    mira,
    'Swiss subsidiary goes live',
    { daysAgo: 7, time: '07:58' },
  ],
  [
    'europe',
    'storefront',
    'MODULE/shop',
    'shopName',
    data('Northwind'),
    tomas,
    'New brand',
    { daysAgo: 7, time: '15:22' },
  ],
  [
    'america',
    'crm-suite',
    'MODULE/crm-mail',
    'fromAddress',
    data('sales@us.example.com'),
    mira,
    'US sender domain',
    { daysAgo: 6, time: '16:31' },
  ],
  [
    'asia',
    'crm-suite',
    'MODULE/crm-core',
    'auditLog',
    data(false),
    ling,
    'Requested by the works council',
    { daysAgo: 5, time: '09:47' },
  ],
  [
    'staging',
    'crm-suite',
    'MODULE/crm-mail',
    'smtpEncryption',
    data('tls'),
    ling,
    'Try TLS before production',
    { daysAgo: 4, time: '08:20' },
  ],
]

const ago = (minutesAgo: number): When => ({ minutesAgo })
const mail = ['crm-suite', 'MODULE/crm-mail'] as const
const core = ['crm-suite', 'MODULE/crm-core'] as const
const terms = ['billing', 'MODULE/invoice-engine', 'paymentTermDays'] as const
const sender = data('ventas@es.example.com')
const shop = ['storefront', 'MODULE/shop', 'shopName'] as const

/** The ordinary work of the last day. */
export const LATE_CHANGES: readonly DemoChange[] = [
  ['staging', ...terms, data(21), mira, 'Try shorter terms before production', ago(980)],
  ['iberia', ...mail, 'fromAddress', sender, jonas, 'Spanish sender domain', ago(860)],
  ['brazil', ...core, 'defaultCurrency', data('USD'), jonas, 'Invoices in dollars', ago(690)],
  ['preview', ...mail, 'smtpPort', data(465), ling, 'As in production', ago(570)],
  ['rehearsal', ...shop, data('Northwind Rehearsal'), tomas, 'Rehearse the new brand', ago(480)],
  ['europe', ...terms, data(21), mira, 'Shorter terms for Switzerland', ago(390)],
  ['nordics', ...mail, 'smtpPort', data(465), ling, 'The provider closes port 587 on Friday', ago(330)],
  ['sandbox', ...core, 'defaultCurrency', data('GBP'), jonas, 'Course in London', ago(215)],
]
