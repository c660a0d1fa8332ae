import * as L from './zz-try-lib.mjs'
import { writeFileSync } from 'node:fs'
const b=await L.launch()
const p=await L.signIn(b,'admin','/catalog')
console.log(p.url())
const D=(schema,o={})=>({kind:'DATA',schema,...o})
const props={
 tags:D({type:'array',title:'Tags',items:{type:'string',minLength:1,maxLength:20},uniqueItems:true,maxItems:6},{group:'Lists',order:1,default:['a','b','c']}),
 ports:D({type:'array',title:'Ports',items:{type:'integer',minimum:1,maximum:65535}},{group:'Lists',order:2}),
 hosts:D({type:'array',title:'Hosts',items:{type:'object',title:'Host',required:['name'],additionalProperties:false,properties:{name:{type:'string',title:'Host name',minLength:1},port:{type:'integer',title:'Port',minimum:1,maximum:65535},secure:{type:'boolean',title:'Secure'}}}},{group:'Lists',order:3,default:[{name:'one.example',port:1,secure:true},{name:'two.example',port:2,secure:false}]}),
 limits:D({type:'array',title:'Limits or none',items:{type:['integer','null'],minimum:1}},{group:'Lists',order:4,default:[1,null,3]}),
 target:D({title:'Target',oneOf:[
  {title:'Web address',type:'object',additionalProperties:false,required:['type','url'],properties:{type:{const:'url'},url:{type:'string',title:'Address',format:'uri'}}},
  {title:'Host and port',type:'object',additionalProperties:false,required:['type','host','port'],properties:{type:{const:'host'},host:{type:'string',title:'Host',minLength:1},port:{type:'integer',title:'Port',minimum:1,maximum:65535}}}]},{group:'Choices',order:1,default:{type:'url',url:'https://a.example/'}}),
 size:D({title:'Size',oneOf:[{title:'Number',type:'integer',minimum:10},{title:'Text',type:'string',minLength:2}]},{group:'Choices',order:2}),
 quota:D({type:['integer','null'],title:'Quota',minimum:5},{group:'Choices',order:3,default:null}),
 label:D({type:['string','null'],title:'Label',minLength:2},{group:'Choices',order:4}),
 plan:D({title:'Plan',oneOf:[{type:'null'},{type:'object',title:'P',required:['name'],properties:{name:{type:'string',title:'Plan name',minLength:1},seats:{type:'integer',title:'Seats',minimum:1}}}]},{group:'Choices',order:5}),
 cron:D({type:'string',format:'cron',title:'When'},{group:'Other',order:1}),
 note:D({type:'string',title:'Long note',maxLength:2000},{group:'Other',order:2}),
}
const m=(v,extra={})=>({bundle:{environmentKey:'production',bundleId:'qa-lists'},version:v,title:'QA lists',description:'For trying',resources:[{kind:'MODULE',name:'box',title:'Box',moduleId:'module-qa-box',properties:{...props,...extra}}],plugins:[]})
writeFileSync('/tmp/try/qa1.json',JSON.stringify(m('1.0.0'),null,1))
// publish by UI
await p.getByRole('button',{name:/Publish/}).click()
await L.shot(p,'publish')
await p.getByRole('dialog').locator('input[type=file]').setInputFiles('/tmp/try/qa1.json')

await L.shot(p,'publish2')
await p.getByRole('dialog').getByRole('button',{name:/^Publish/}).click()
await p.waitForTimeout(1500)
console.log(p.url()); await L.shot(p,'publish3')
console.log((await L.main(p)).slice(0,1500))
console.log(JSON.stringify(await L.api(p,'PUT','/bundles/production/qa-lists/versions/1.1.0',m('1.1.0',{extra:D({type:'string',title:'Extra'},{required:true,group:'Other'})}))).slice(0,300))
console.log(JSON.stringify(await L.api(p,'PUT','/bundles/production/qa-lists/versions/2.0.0',m('2.0.0',{extra2:D({type:'string',title:'Extra two'},{group:'Other'})}))).slice(0,300))
// 1000 modules
const big={bundle:{environmentKey:'production',bundleId:'qa-big'},version:'1.0.0',title:'QA thousand',description:'',plugins:[],resources:Array.from({length:1000},(_,i)=>({kind:'MODULE',name:'m'+String(i).padStart(4,'0'),title:'Module '+i,moduleId:'module-qa-big-'+i,properties:{host:D({type:'string',title:'Host'},{default:'h'+i}),port:D({type:'integer',title:'Port'},{default:i})}}))}
let r=await L.api(p,'PUT','/bundles/production/qa-big/versions/1.0.0',big);console.log(r.s,r.ms,JSON.stringify(r.j).slice(0,300), JSON.stringify(big).length)
r=await L.api(p,'PUT','/bundles/production/qa-big/versions/1.1.0',{...big,version:'1.1.0'});console.log(r.s,r.ms)
for (const w of [9001,9002,9003]){r=await L.api(p,'POST','/installations',{scope:{environmentKey:'production',applicationRuntimeId:'qa',workspaceId:w},bundle:{environmentKey:'production',bundleId:'qa-lists'},targetVersion:'1.0.0',properties:{}});console.log(r.s,JSON.stringify(r.j).slice(0,400))}
await b.close()
