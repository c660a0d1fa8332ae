import { chromium } from '@playwright/test'
import { existsSync } from 'node:fs'
export const B='http://localhost:8080'
export const PW={admin:'xxxbp-evhkg-vkrdf-qfy2s',operator:'uucn7-huasm-cuu87-fpn74',support:'wz83t-pfegz-mapeu-ebxqs',viewer:'m2jbn-admcp-4abxm-jacm8'}
export const launch=()=>chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox']})
export async function signIn(browser,user,path='/',opts={}){
  const c=await browser.newContext({viewport:{width:1280,height:900},baseURL:B,acceptDownloads:true,...opts})
  await c.addCookies([{name:'console_zone',value:'UTC',url:B,sameSite:'Lax'}])
  const p=await c.newPage()
  p.setDefaultTimeout(8000)
  p.on('pageerror',e=>console.log('PAGEERROR',e.message))
  p.on('console',m=>{if(m.type()==='error')console.log('CONSOLE',m.text().slice(0,300))})
  await p.goto('/auth/login?returnTo='+encodeURIComponent(path))
  await p.getByLabel('Username').fill(user)
  await p.getByLabel('Password').fill(PW[user])
  await p.getByRole('button',{name:'Sign in'}).click()
  await p.waitForURL(u=>!u.pathname.startsWith('/auth')&&!u.pathname.startsWith('/oidc'))
  await ready(p)
  return p
}
export const ready=p=>p.locator('#preview').waitFor({state:'detached'})
export const go=async(p,path)=>{await p.goto(path);await ready(p);await settled(p)}
export const settled=async p=>{await p.waitForFunction(()=>!document.querySelector('[aria-busy="true"]'),null,{timeout:20000})}
export const focus=p=>p.evaluate(()=>{const e=document.activeElement;return e?`${e.tagName} id=${e.id} label=${e.getAttribute('aria-label')||e.textContent?.slice(0,40)} v=${e.value??''}`:null})
export const main=async p=>(await p.getByRole('main').innerText())
export const shot=(p,n,full)=>p.screenshot({path:`/tmp/try/${n}.png`,fullPage:!!full})
export const api=(p,method,path,body)=>p.evaluate(async([m,u,b])=>{const t=performance.now();const r=await fetch('/api'+u,{method:m,headers:{'content-type':'application/json','x-requested-by':'console','idempotency-key':crypto.randomUUID()},...(b!==undefined&&b!==null&&{body:JSON.stringify(b)})});let j=null;try{j=await r.json()}catch{};return {s:r.status,ms:Math.round(performance.now()-t),j}},[method,path,body])
for (const ev of ['uncaughtException','unhandledRejection']) process.on(ev,e=>{console.log('ERR',String(e?.stack??e).replace(/Call log[\s\S]*?(?=\n    at)/,'').slice(0,700));process.exit(1)})
